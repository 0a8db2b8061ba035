language-question = ¿En qué idioma hablo? Mis respuestas siguen el idioma en el que escribes.
language-automatic = Como en Telegram
language-chosen = Ahora hablo este idioma: { $language }.
language-button = Idioma: { $language }
