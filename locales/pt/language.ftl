language-question = Em que idioma devo falar? Minhas respostas seguem o idioma em que você escreve.
language-automatic = Como no Telegram
language-chosen = Agora falo este idioma: { $language }.
language-button = Idioma: { $language }
