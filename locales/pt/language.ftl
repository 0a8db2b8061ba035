language-question = Em que idioma devo falar com você? A escolha vale para meus menus e avisos; minhas respostas seguem o idioma em que você escreve.
language-question-group = Em que idioma devo falar neste grupo? A escolha vale para meus menus e avisos; minhas respostas seguem o idioma em que me escrevem.
language-automatic = Como no Telegram
language-chosen = Agora falo este idioma: { $language }.
language-chosen-automatic = Agora sigo o idioma do seu Telegram: { $language }.
language-unknown = Não falo “{ $wanted }”. Toque em um dos botões ou envie um destes: { $names }.
language-button = Idioma: { $language }
