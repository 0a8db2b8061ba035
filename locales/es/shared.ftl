shared-messages = { $messages ->
    [one] { $messages } mensaje
   *[other] { $messages } mensajes
 }
shared-turns = { $turns ->
    [one] { $turns } mensaje tuyo
   *[other] { $turns } mensajes tuyos
 }
shared-facts = { $facts ->
    [one] { $facts } dato
   *[other] { $facts } datos
 }
shared-summaries = { $summaries ->
    [one] { $summaries } resumen
   *[other] { $summaries } resúmenes
 }
shared-and = { $first } y { $last }
shared-or = { $first } o { $last }
shared-comma = ,{ " " }
shared-quoted = «{ $text }»
shared-yesterday = ayer
shared-today = hoy
shared-tomorrow = mañana
shared-you = tú
shared-bot = el bot
shared-tool = una herramienta
shared-admins-only = Solo los administradores de este grupo pueden hacerlo.
shared-dead-button = Este botón ya no funciona. Vuelve a pedirlo.
shared-not-yours = Este botón es de otra persona.
shared-failed = No ha funcionado. Inténtalo de nuevo.
shared-takes-nothing = { $command } no lleva nada detrás. Envíalo solo.
shared-unknown = No conozco el comando { $command }. /help los muestra todos.
shared-in-private = { $command } solo funciona en nuestro chat privado.
shared-once-more = Inténtalo otra vez; /cancel lo deja todo como está.
shared-span = { $first } a { $last }
shared-no = No
shared-near = ¿Querías decir { $near }?
shared-too-long = Tiene { $length } caracteres; se admiten { $most } como máximo. No ha cambiado nada.
