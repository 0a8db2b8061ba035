forget-members = Para retirar tus propias palabras, respóndeles con /forget.
forget-usage =
    ¿Qué olvido?
    
    • un mensaje: respóndele con /forget
    • días: /forget ayer, /forget 1 de mayo – 3 de junio
    • lo que busques: /forget PALABRAS
    • todo: /forget todo
    
    Pregunto antes de borrar nada.
forget-final = Esto no se puede deshacer.
forget-clean = En los archivos del bot no queda nada de ello.
forget-traces = De momento pueden quedar rastros en los archivos del bot; se siguen limpiando.
forget-kept = No se ha olvidado nada.
forget-gone = No hay nada de esto en la memoria del bot.
forget-former = Ese mensaje es de antes de que este grupo se convirtiera en supergrupo. Un administrador puede borrarlo con /forget y algunas de sus palabras.
forget-no-such-date = Esa fecha no existe. Escríbela así: 3 de junio de 2026.
forget-not-in-my-power = Fuera del alcance del bot: este chat en Telegram, lo que guarda el proveedor del modelo, las copias anteriores.
forget-today = Hoy
forget-everything = Todo
forget-none-found = Aquí ningún mensaje tiene esas palabras.
forget-elsewhere = /search busca en todas las conversaciones; /chats abre una.
forget-which = ¿Cuál de estos olvido?
forget-all = Los { $number }
forget-maybe-more = Puede haber más.
forget-none-of-them = Ninguno
forget-keep-it = Conservar
forget-ask-this = ¿Olvido esto?
forget-it = Olvidar
forget-them-too = Olvidar también eso
forget-all-of-it = Olvidar todo
forget-turn = Pregunta y respuesta
forget-turns = Preguntas y respuestas
forget-only-message = Solo este mensaje
forget-only-messages = Solo estos mensajes
forget-erases = Esto borra: { $what }.
forget-choices-stay = También se borran la zona horaria, el estilo propio y los deseos para los resúmenes. Los demás ajustes se quedan.
forget-done = Olvidado.
forget-line = #{ $id } · { $date } · { $speaker }: «{ $text }»
forget-profiles = { $profiles ->
    [one] { $profiles } versión de tu perfil
   *[other] { $profiles } versiones de tu perfil
 }
forget-versions = { $versions ->
    [one] { $versions } versión anterior
   *[other] { $versions } versiones anteriores
 }
forget-reminders = { $reminders ->
    [one] { $reminders } recordatorio
   *[other] { $reminders } recordatorios
 }
forget-answers = { $answers ->
    [one] { $answers } respuesta posterior
   *[other] { $answers } respuestas posteriores
 }
forget-import-stops = Hay una importación en curso. Se detiene, y lo que trajo también se borra.
forget-quotes = Se cita en: { $what }.
forget-words-may-stay = Otros mensajes pueden contener las mismas palabras; /search las encuentra.
forget-receipt = Olvidado: { $what }.
forget-kept-aside = Archivos dañados o sustituidos que se guardan aquí pueden contenerlo: { $names }.
# What may be written for it after /forget.
forget-words-everything = todo
forget-group = Todo: toda la memoria de este grupo, de todos los temas
forget-words-stay = Quedan palabras suyas en: { $what }. /search las encuentra.
