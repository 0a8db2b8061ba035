# /new and /chats.

chats-begun = Aquí empieza una conversación nueva. Lo que sé de ti se queda. /chats las muestra todas.
chats-begun-off = Empezamos de nuevo. La memoria está desactivada: no se guardó nada.
chats-too-long = Un título tiene como máximo { $most } caracteres.
chats-which-title = ¿Cómo debe llamarse?
chats-example = Viaje a Lisboa
chats-renamed = Ahora se llama «{ $title }».
chats-gone = Esta conversación ya no existe.
chats-opened = Seguimos aquí.
chats-off = La memoria está desactivada: solo hay esta conversación. /settings la activa.
chats-none = Todavía no hay conversaciones.
chats-heading = Tus conversaciones. Pulsa una para seguir en ella.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Conversación nueva
