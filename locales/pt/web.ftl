web-no-session = Este link já foi usado ou é antigo demais, ou você saiu. Envie /dashboard e receba um novo.
web-not-served = Peça a quem administra este bot que libere seu acesso.
web-not-yours = Esta memória é de outra pessoa; a de um grupo é para os administradores.
web-too-large = Isso é grande demais.
web-elsewhere = Sua memória está ocupada. Tente de novo daqui a pouco.
web-one-file = Outro arquivo está a caminho. Tente de novo daqui a pouco.
web-open = Abrir minha memória
web-link =
    Tudo o que eu lembro aqui. O link funciona uma vez e por { $minutes } minutos; não o compartilhe:
    { $link }
web-none = Não existe uma página assim aqui.
web-set = Ainda não existe uma página assim: defina { $setting } com o endereço https dela e reinicie o bot.
web-anonymous = Você escreve como administrador anônimo. Envie o comando com seu próprio nome.
web-saved = Salvo.
