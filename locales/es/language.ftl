language-question = ¿En qué idioma quieres que te hable? Esta elección vale para mis menús y avisos; mis respuestas siguen el idioma en el que escribes.
language-question-group = ¿En qué idioma quieres que hable en este grupo? Esta elección vale para mis menús y avisos; mis respuestas siguen el idioma en el que se escribe.
language-automatic = Como en Telegram
language-chosen = Ahora hablo este idioma: { $language }.
language-chosen-automatic = Ahora sigo el idioma de tu Telegram: { $language }.
language-unknown = No hablo «{ $wanted }». Pulsa uno de los botones o envía uno de estos: { $names }.
language-button = Idioma: { $language }
