forget-admins-only = Solo los administradores de este grupo pueden hacerme olvidar lo que se dijo aquí.
forget-members = Solo los administradores de este grupo pueden hacerme olvidar lo que se dijo aquí. Tus propias palabras las puedes retirar tú: responde a tu mensaje con /forget.
forget-usage =
    ¿Qué olvido?

    • un mensaje: respóndele con /forget, o /forget #12
    • un dato: /forget dato 12
    • un día o varios: /forget 2026-01-31, /forget 2026-01-01 2026-02-01, /forget ayer
    • lo que busques: /forget PALABRAS
    • todo: /forget todo

    Antes de borrar nada, digo qué es y pregunto.
forget-final = Esto no se puede deshacer.
forget-clean = En mis archivos no queda nada de ello.
forget-traces = De momento pueden quedar rastros en mis archivos, porque están en uso o el disco está lleno. Sigo limpiándolos.
forget-expired = Esta pregunta tiene más de 10 minutos y ya no hace nada. Envía /forget otra vez.
forget-kept = No se ha olvidado nada.
forget-gone = Eso no está (o ya no está) en mi memoria.
forget-not-stored = El mensaje al que respondes no está en mi memoria.
forget-former = No sé qué mensaje es, porque es de antes de que este grupo se convirtiera en supergrupo: un administrador puede encontrarlo y borrarlo con /forget y algunas de sus palabras.
forget-no-such-date = Esa fecha no existe. Escribe las fechas así: 2026-01-31.
forget-not-in-my-power = No está en mi mano: lo escrito en este chat (Telegram te deja borrarlo), lo que el proveedor del modelo guardó de peticiones anteriores y las copias de seguridad ya hechas.
forget-today = Hoy
forget-everything = Todo
forget-none-found = No he encontrado mensajes con esas palabras en esta conversación. No se ha olvidado nada.
forget-elsewhere = Quizá esté en otra conversación: /search lo encuentra en todas y /chats abre una.
forget-which = ¿Cuál de estos olvido? Pregunto una vez más antes de borrarlo.
forget-all = Los { $number }
forget-maybe-more = Puede haber más: busca otra vez cuando acabes con estos.
forget-none-of-them = Ninguno
forget-keep-it = Conservar
forget-nothing-there = Ahí no hay nada que olvidar.
forget-ask-fact = ¿Olvido el dato { $id }?
forget-ask-day = ¿Olvido lo que se dijo el { $day }?
forget-ask-days = ¿Olvido lo que se dijo del { $first } al { $last }?
forget-ask-everything = ¿Lo olvido todo?
forget-ask-everything-group = ¿Lo olvido todo? Es toda la memoria de este grupo, de todos los temas.
forget-ask-this = ¿Olvido esto?
forget-ask-these = ¿Olvido estos { shared-messages }?
forget-it = Olvidar
forget-them-too = Olvidar también eso
forget-messages = Olvidar { shared-messages }
forget-all-of-it = Olvidar todo
forget-turn = Pregunta y respuesta
forget-turns = Preguntas y respuestas
forget-only-message = Solo este mensaje
forget-only-messages = Solo estos mensajes
forget-erases = Esto borra: { $what }.
forget-erases-with-them = Con ello, esto borra: { $what }.
forget-erases-with-turn = Con la pregunta o respuesta correspondiente, esto borra: { $what }.
forget-erases-with-request = Con la pregunta o respuesta correspondiente y lo que me acabas de pedir, esto borra: { $what }.
forget-erases-with-turns = Con las preguntas y respuestas correspondientes: { $what }.
forget-choices-stay = Tus ajustes se quedan como están.
forget-done = Olvidado.
forget-line = #{ $id } · { $date } · { $speaker }: «{ $text }»
forget-reactivated = { $messages ->
    [one] { shared-messages } contiguo se queda y se volverá a resumir sin ello.
   *[other] { shared-messages } contiguos se quedan y se volverán a resumir sin ello.
 }
forget-profiles = { $profiles ->
    [one] { $profiles } versión de tu perfil
   *[other] { $profiles } versiones de tu perfil
 }
forget-versions = { $versions ->
    [one] { $versions } texto anterior
   *[other] { $versions } textos anteriores
 }
forget-reminders = { $reminders ->
    [one] { $reminders } recordatorio
   *[other] { $reminders } recordatorios
 }
forget-answers = { $answers ->
    [one] { $answers } respuesta posterior
   *[other] { $answers } respuestas posteriores
 }
forget-quotes = { $count ->
    [one] { $what } cita esto.
   *[other] { $what } citan esto.
 }
forget-quotes-stay = { $count ->
    [one] { $what } lo cita y se queda.
   *[other] { $what } lo citan y se quedan.
 }
forget-words-stay = { $messages ->
    [one] Algunas de sus palabras están también en { shared-messages } que se conserva; /search las encuentra.
   *[other] Algunas de sus palabras están también en { shared-messages } que se conservan; /search las encuentra.
 }
forget-words-may-stay = Los mensajes que quedan pueden contener algunas de las mismas palabras; /search las encuentra.
forget-receipt = Olvidado: { $what }. { $rest }
forget-kept-aside = Mi operador guarda además archivos dañados o sustituidos que pueden contenerlo: { $names }.
# What may be written for it after /forget.
forget-words-everything = todo
