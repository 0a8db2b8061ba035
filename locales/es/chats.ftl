# /new and /chats.

chats-begun = Aquí empieza una conversación nueva. Lo dicho antes se queda en la otra; lo que sé de ti lo sigo sabiendo. /chats las muestra todas.
chats-begun-titled = Aquí empieza una conversación nueva: «{ $title }». Lo dicho antes se queda en la otra; lo que sé de ti lo sigo sabiendo. /chats las muestra todas.
chats-begun-off = Empezamos de nuevo: lo dicho hasta ahora queda apartado. La memoria está desactivada, así que no se guarda nada.
chats-too-long = Un título tiene como máximo { $most } caracteres, y este tiene { $length }.
chats-which-title = ¿Cómo debe llamarse esta conversación?
chats-example = Viaje a Lisboa
chats-renamed = La conversación se llama ahora «{ $title }».
chats-gone = Esta conversación ya no existe.
chats-opened = Seguimos en esta conversación.
chats-off = La memoria está desactivada, así que solo hay lo que decimos ahora. /settings la activa; /new empieza de nuevo.
chats-none = Todavía no hay conversaciones: aquí no se ha dicho nada desde que la memoria está activada.
chats-heading = Tus conversaciones. La marca señala en cuál estamos; pulsa otra para seguir en ella.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Conversación nueva
chats-button-later = ◀ Más recientes
chats-button-earlier = Anteriores ▶
chats-button-new = Conversación nueva
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = ¿Olvido la conversación «{ $title }», con lo que aprendí de ella?
chats-after-delete = /chats muestra las demás conversaciones.
