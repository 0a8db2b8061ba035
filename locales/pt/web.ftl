web-no-session = Este link já foi usado ou é antigo demais. Envie /dashboard para mim e receba um novo.
web-not-served = Este bot não responde a você. Peça a quem o administra que libere seu acesso.
web-not-yours = Esta memória é de outra pessoa. Em um grupo, só os administradores veem esta página.
web-too-large = Isso é grande demais.
web-elsewhere = Sua memória está ocupada em outro lugar. Tente de novo daqui a pouco.
web-menu-button = Memória
web-open = Abrir minha memória
web-link =
    Tudo o que eu lembro aqui, em uma página. Este link funciona uma vez e por { $minutes } minutos, então não o compartilhe:
    { $link }
web-sent = Enviei o link para você na nossa conversa privada.
web-none = Não existe uma página assim aqui.
web-set = Ainda não existe uma página assim. Defina { $setting } com o endereço https dela e inicie o bot de novo.
web-anonymous = Você escreve como administrador anônimo, então não sei a quem enviar o link. Envie o comando com seu próprio nome.
web-saved = Salvo.
web-begun = Começou.
