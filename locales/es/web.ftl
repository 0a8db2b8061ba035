web-no-session = Este enlace ya se usó o es demasiado antiguo. Envíame /dashboard y te daré uno nuevo.
web-not-served = Este bot no te responde. Pide a quien lo administra que te deje entrar.
web-not-yours = Esta memoria es de otra persona. En un grupo, solo sus administradores ven esta página.
web-too-large = Es demasiado grande.
web-elsewhere = Tu memoria está ocupada en otro sitio. Inténtalo de nuevo dentro de un momento.
web-menu-button = Memoria
web-open = Abrir mi memoria
web-link =
    Todo lo que recuerdo aquí, en una sola página. Este enlace funciona una vez y durante { $minutes } minutos, así que no lo compartas:
    { $link }
web-sent = Te he enviado el enlace en nuestro chat privado.
web-none = Aquí no hay una página así.
web-set = Todavía no hay una página así. Pon en { $setting } la dirección https por la que se llega a ella y reinicia el bot.
web-anonymous = Escribes como administrador anónimo, así que no sé a quién enviar el enlace. Envía la orden con tu propio nombre.
web-saved = Guardado.
web-begun = Ha empezado.
