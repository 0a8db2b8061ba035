page-title = Keepsake · zona de pruebas
page-banner = responde { $model } · solo en este equipo
page-offline-model = el modelo sin conexión (solo cita lo que recuerda)
page-chats = Chats
page-chat = Chat
page-memory = Memoria
page-views = Vistas
page-conversation = Conversación
page-messages = Mensajes
page-topics = Temas
page-topic-general = General
page-back = Volver a los chats
page-start-over = Empezar de nuevo
page-show-memory = Mostrar la memoria
page-jump = Ir al mensaje más nuevo
page-drop = Suelta para enviar
page-ok = Aceptar
page-cancel = Cancelar
page-add = Añadir
page-first-name = Nombre
page-app-language = Idioma de la app
page-add-person = Añadir a una persona
page-start-over-with = ¿Empezar de nuevo con { $title }?
page-start-over-hint = El chat queda vacío y se borra todo lo que se recuerda de él.
page-fresh-start = Empezamos de cero.
page-in-private = En privado con el bot, como
page-groups = Grupos
page-no-messages = Aún no hay mensajes
page-you-said = Tú: { $words }
page-unread = { $number } sin leer
page-theme-auto = Tema: automático
page-theme-light = Tema: claro
page-theme-dark = Tema: oscuro
page-language = Idioma de esta página
page-language-auto = Automático: { $language }
page-today = Hoy
page-yesterday = Ayer
page-unknown = Desconocido
page-new-messages = Mensajes nuevos
page-welcome-back = Hola de nuevo. Lo que está arriba viene de la memoria.
page-waiting = esperando al servidor…
page-typing = escribiendo…
page-typing-name = { $name } está escribiendo…
page-writing-as = bot · escribes como { $name }
page-members = { $number ->
    [one] { $number } miembro
   *[other] { $number } miembros
 }
page-members-and-bot = { $number ->
    [one] { $number } miembro y el bot
   *[other] { $number } miembros y el bot
 }
page-welcome-private = Recuerda lo que le cuentas, en cuanto se lo permites. Pulsa «Iniciar»; lo que digas va al modelo que se nombra arriba.
page-welcome-group = Menciona a { $bot } o respóndele, y contestará.
page-writing = El bot está escribiendo
page-edited = editado
page-photo-of = Foto: { $caption }
page-kind-photo = Foto
page-kind-voice = Mensaje de voz
page-kind-sticker = Sticker
page-kind-animation = Animación
page-kind-video = Vídeo
page-kind-video_note = Videomensaje
page-kind-audio = Audio
page-kind-file = Archivo
page-download = Descargar { $name }
page-reply-key = Responder (R)
page-copy-key = Copiar el texto (C)
page-edit-key = Editar (E)
page-copied = Copiado
page-copy = copiar
page-copy-code = Copiar el código
page-code = Código
page-code-in = Código en { $language }
page-hidden-text = Texto oculto, pulsa para verlo
page-show-all = Mostrar todo
page-show-less = Mostrar menos
page-joined = Ahora en el grupo: { $names }
page-left = { $name } salió del grupo
page-topic-created = Tema creado: { $name }
page-group-renamed = El grupo se llama ahora { $name }
page-start = Iniciar
page-message = Mensaje
page-message-group = Mensaje, o { $bot }
page-suggestions = Sugerencias
page-tries = Para probar
page-try-1 = Soy alérgico a las nueces.
page-try-2 = Mi hermana Nora vive en Lisboa.
page-try-3 = ¿A qué soy alérgico?
page-try-4 = ¿Qué sabes de mí?
page-commands = Comandos
page-attach = Adjuntar un archivo
page-send = Enviar
page-send-key = Enviar (Intro)
page-as = como
page-speak-as = Hablar como
page-edit-message = Editar el mensaje
page-reply-to = Respuesta a { $name }
page-cancel-key = Cancelar (Esc)
page-not-sent = No se ha enviado: el servidor no responde.
page-no-answer = El servidor no responde.
page-answered = El servidor respondió { $status }.
page-caption-long = Un pie de foto tiene como máximo { $most } caracteres.
page-edit-long = Un mensaje editado tiene de 1 a { $most } caracteres.
page-name-long = Un nombre tiene de 1 a { $most } caracteres.
page-people-many = Ya hay { $most } personas.
page-memory-unreadable = Ahora mismo no se puede leer la memoria.
page-remembered-about = Lo que se recuerda de { $name }
page-remembered-in = Lo que se recuerda en { $title }
page-on = activada
page-off = desactivada
page-active = activos: { $number }
page-archived = archivados: { $number }
page-memory-off = La memoria está desactivada hasta que se active: envía /summary en el chat.
page-until-summary = Hasta el próximo resumen
page-turns-of = { $done } de { $total ->
    [one] { $total } turno
   *[other] { $total } turnos
 }
page-read-of = { $done } de { $total } de tus mensajes
page-summarising = Se están resumiendo los mensajes más antiguos.
page-summary-failed = No se pudo hacer el último resumen: { $error }
page-summaries = Resúmenes
page-summaries-none = Todavía ninguno. Cuando haya bastantes mensajes, formarán un primer resumen; no se borra nada.
page-summaries-count = { $active } activos, { $total } en total
page-summaries-level = Resúmenes de nivel { $level }
page-summary-active = Resumen { $id } de nivel { $level }, { $messages }, activo
page-summary-passive = Resumen { $id } de nivel { $level }, { $messages }, parte de otro posterior
page-standing-active = En el prompt mientras está activo.
page-standing-higher = Parte de un resumen superior; se conserva, ya no está en el prompt.
page-standing-replaced = Lo sustituyó una versión más nueva; se conserva, ya no está en el prompt.
page-version = Versión { $number }
page-version-of = Versión { $number } ({ $policy }): { $chain }
page-quality = Calidad { $score }
page-part-retention = nombres y números conservados { $score }
page-part-novelty = nada inventado { $score }
page-part-coverage = turnos cubiertos { $score }
page-part-compression = acortado { $score }
page-part-repetition = sin repeticiones { $score }
page-compressed = { $number ->
    [one] resumido una vez
   *[other] resumido { $number } veces
 }
page-reason-threshold = esperaban bastantes turnos
page-reason-now = a petición
page-reason-idle = durante una pausa
page-reason-pressure = el prompt estaba casi lleno
page-reason-cut = había turnos que ya no cabían
page-reason-upwards = esperaban bastantes resúmenes
page-reason-rebuild = hecho de nuevo
page-reason-import = importado
page-tokens-made = { $read } → { $written } tokens
page-messages-count = { $number ->
    [one] { $number } mensaje
   *[other] { $number } mensajes
 }
page-messages-newest = los { $shown } más nuevos de { $total }
page-messages-none = Todavía no se recuerda nada.
page-messages-off = Mientras la memoria está desactivada no se guarda nada.
page-messages-archived = { $messages } bajo el resumen { $id }
page-messages-active = { $messages }, palabra por palabra en el prompt
page-message-active = Palabra por palabra en el prompt mientras quepa.
page-message-archived = Bajo el resumen { $id }: se sigue encontrando, palabra por palabra.
page-legend-person = persona
page-legend-bot = bot
page-legend-colour = cada color es un resumen
page-profile = Perfil
page-versions = { $number ->
    [one] { $number } versión
   *[other] { $number } versiones
 }
page-versions-earlier = { $number ->
    [one] { $number } versión anterior
   *[other] { $number } versiones anteriores
 }
page-by-model = por { $model }
page-facts = Datos
page-facts-count = { $holding } vigentes, { $gone } anticuados o eliminados
page-fact-since = desde { $day }
page-fact-from = de { $sources }
page-fact-by-hand = añadido a mano
page-fact-earlier = texto anterior
page-fact-pinned = fijado
page-fact-deleted = borrado
page-fact-before = antes: { $number }
page-kind-personal = personal
page-kind-preference = preferencia
page-kind-knowledge = conocimiento
page-kind-event = evento
page-kind-instruction = instrucción
page-learning-running = Aprendiendo del historial importado
page-learning-partly = Aprendido de una parte del historial importado
page-learning-done = Aprendido del historial importado
page-prompt = Último prompt
page-prompt-none = Aparece con la próxima respuesta.
page-tokens-of = { $tokens } de { $most } tokens
page-cut = No cupo
page-cut-turns = turnos anteriores
page-cut-archived = mensajes archivados
page-cut-document = un documento
page-cut-summary = un resumen
page-found = Recuperado
page-found-count = { $number ->
    [one] { $number } mensaje anterior
   *[other] { $number } mensajes anteriores
 }
