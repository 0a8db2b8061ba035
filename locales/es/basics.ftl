basics-hello = ¡Hola! Soy Keepsake, un bot de chat que recuerda. Escríbeme sin más: resumo las conversaciones anteriores, se pueden buscar y vuelven cuando hacen falta.
basics-hello-group = ¡Hola! Soy Keepsake, un bot de chat que recuerda. Aquí respondo a quien me menciona o responde a mis mensajes. Este grupo tiene su propia memoria, que activan y desactivan sus administradores; lo que sé de chats privados nunca llega aquí.
basics-stored = Con la memoria activada guardo lo que me escribes y lo que respondo, los resúmenes que hago y tus ajustes, en archivos del equipo en el que funciono (SQLite o JSON, como elijas). Para responder, envío tu mensaje y lo que viene al caso al modelo de lenguaje que ha elegido mi operador. Con la memoria desactivada no guardo mensajes, y esta conversación se olvida cuando me reinicio.
basics-stored-group = No guardo nada que no se dirija a mí. Con la memoria activada guardo lo que dicen los miembros cuando me mencionan o me responden, con sus nombres, lo que respondo y los resúmenes que hago, en archivos del equipo en el que funciono. Para responder, envío ese mensaje y lo que viene al caso al modelo de lenguaje que ha elegido mi operador. Con la memoria desactivada no guardo mensajes. Cada miembro borra sus propias palabras respondiendo a ellas con /forget; los administradores pueden borrar cualquier cosa y exportarlo todo a su chat privado.
basics-reminders = Los recordatorios se guardan hasta que los envío o los cancelas, también con la memoria desactivada.
basics-forgetting = /forget borra para siempre un mensaje, un día o todo.
basics-not-mine = Lo que guardan Telegram y el proveedor del modelo no está en mi mano.
basics-mode-on = La memoria está activada aquí y se guarda en { $storage }.
basics-mode-incognito = Aquí está activado el modo incógnito: leo la memoria, pero no escribo nada en ella.
basics-mode-off = La memoria está desactivada aquí.
basics-is-on = La memoria está activada.
basics-is-off = La memoria está desactivada hasta que la actives: con el botón de abajo, o con /summary para elegir cómo.
basics-is-off-group = La memoria está desactivada hasta que la active un administrador: con el botón de abajo, o con /summary para elegir cómo.
basics-turn-on = Activar la memoria
basics-see-help = /help muestra lo que sé hacer.
basics-just-write = Escríbeme y te respondo.
basics-just-mention = En un grupo respondo cuando me mencionas o respondes a un mensaje mío; el grupo tiene su propia memoria.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (solo administradores)
basics-retention = Mi operador ha dispuesto que lo resumido con más de { $days ->
    [one] un día
   *[other] { $days } días
 } se borre para siempre.
