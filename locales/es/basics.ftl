basics-hello = Hola, soy Keepsake: un bot de chat que recuerda lo que le cuentas.
basics-stored = Con la memoria activada guardo tus mensajes, mis respuestas, resúmenes y ajustes en el equipo en el que funciono. Para responder, envío tu mensaje y lo que viene al caso a un modelo de lenguaje. Con la memoria desactivada, al reiniciarme olvido esta charla.
basics-stored-group = En este grupo solo guardo lo que se me dice, con los nombres de quienes lo dicen. De los chats privados no llega nada aquí. Cada miembro borra sus palabras respondiendo a ellas con /forget; los administradores, cualquier cosa.
basics-reminders = Los recordatorios quedan hasta que se envían o se cancelan.
basics-forgetting = /forget borra para siempre, pero no lo que guardan Telegram y el proveedor del modelo.
basics-mode-on = La memoria está activada y se guarda en { $storage }.
basics-mode-incognito = 🕶 El modo incógnito está activado: leo mi memoria y no escribo nada en ella.
basics-mode-off = La memoria está desactivada: no guardo nada hasta que se active.
basics-turn-on = Activar la memoria
basics-button-stored = Qué se guarda
basics-button-help = Ayuda
basics-button-more = Más
basics-see-help = /help dice lo que sé hacer, y /privacy lo que guardo.
basics-just-write = Escríbeme y te respondo.
basics-just-mention = Mencióname o respóndeme, y contesto.
basics-row = { $command } – { $description }
basics-retention = Lo resumido con más de { $days ->
    [one] un día
   *[other] { $days } días
 } se borra para siempre.
