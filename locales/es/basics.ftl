basics-hello = Hola, soy Keepsake: un bot de chat que recuerda lo que le cuentas.
basics-hello-group = Hola, soy Keepsake: mencióname o respóndeme, y contesto y recuerdo.
basics-stored = Con la memoria activada guardo tus mensajes, mis respuestas, sus resúmenes y tus ajustes. Se quedan en el equipo en el que funciono. Para responder, envío tu mensaje y lo que viene al caso a un modelo de lenguaje. Con la memoria desactivada no guardo mensajes; al reiniciarme olvido esta charla.
basics-stored-group = No guardo nada que no se dirija a mí. Este grupo tiene su propia memoria; lo que sé de chats privados nunca llega aquí. Con la memoria activada guardo lo que me dicen los miembros, sus nombres, mis respuestas y los resúmenes. Se quedan en el equipo en el que funciono. Para responder, envío el mensaje y lo que viene al caso a un modelo de lenguaje. Cada miembro borra sus palabras respondiendo a ellas con /forget. Los administradores borran cualquier cosa y lo exportan todo a su chat privado.
basics-reminders = Los recordatorios se guardan hasta que los envío o los cancelas.
basics-forgetting = /forget borra para siempre un mensaje, un día o todo.
basics-not-mine = No puedo borrar lo que guardan Telegram y el proveedor del modelo.
basics-mode-on = La memoria está activada aquí y se guarda en { $storage }.
basics-mode-incognito = Aquí está activado el modo incógnito: leo la memoria, pero no escribo nada en ella.
basics-mode-off = La memoria está desactivada aquí.
basics-is-off = La memoria está desactivada: no guardo nada hasta que la actives.
basics-is-off-group = La memoria está desactivada: no guardo nada hasta que la active un administrador.
basics-turn-on = Activar la memoria
basics-button-stored = Qué se guarda
basics-button-help = Ayuda
basics-button-more = Más
basics-see-help = /help dice lo que sé hacer, y /privacy lo que guardo.
basics-just-write = Escríbeme y te respondo.
basics-just-mention = En un grupo respondo cuando me mencionas o respondes a un mensaje mío.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (solo administradores)
basics-retention = Lo resumido con más de { $days ->
    [one] un día
   *[other] { $days } días
 } se borra para siempre.
