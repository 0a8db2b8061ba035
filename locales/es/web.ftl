web-no-session = Este enlace ya se usó o caducó, o cerraste la sesión. Envíame /dashboard y te daré otro.
web-not-served = Pide a quien administra este bot que te deje entrar.
web-not-yours = Esta memoria es de otra persona; la de un grupo solo la ven sus administradores.
web-too-large = Es demasiado grande.
web-elsewhere = Tu memoria está ocupada. Inténtalo de nuevo dentro de un momento.
web-one-file = Otro archivo está en camino. Inténtalo de nuevo en un momento.
web-open = Abrir mi memoria
web-link =
    Todo lo que recuerdo aquí. El enlace funciona una vez y durante { $minutes } minutos; no lo compartas:
    { $link }
web-none = Aquí no hay una página así.
web-set = Todavía no hay una página así: pon en { $setting } su dirección https y reinicia el bot.
web-anonymous = Escribes como administrador anónimo. Envía el comando con tu propio nombre.
web-saved = Guardado.
