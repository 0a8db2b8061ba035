# /new and /chats.

chats-begun = Aqui começa uma conversa nova. O que foi dito antes fica na outra; o que sei sobre você, continuo sabendo. /chats mostra todas.
chats-begun-titled = Aqui começa uma conversa nova: “{ $title }”. O que foi dito antes fica na outra; o que sei sobre você, continuo sabendo. /chats mostra todas.
chats-begun-off = Começamos de novo: o que foi dito até agora foi posto de lado. A memória está desligada, então nada disso é guardado.
chats-too-long = Um título tem no máximo { $most } caracteres, e este tem { $length }.
chats-which-title = Como esta conversa deve se chamar?
chats-example = Viagem a Lisboa
chats-renamed = A conversa agora se chama “{ $title }”.
chats-gone = Esta conversa não existe mais.
chats-opened = Continuamos nesta conversa.
chats-off = A memória está desligada, então só há o que dizemos agora. /settings a liga; /new começa de novo.
chats-none = Ainda não há conversas: nada foi dito aqui desde que a memória está ligada.
chats-heading = Suas conversas. A marca mostra em qual estamos; toque em outra para continuar nela.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Conversa nova
chats-button-later = ◀ Mais recentes
chats-button-earlier = Anteriores ▶
chats-button-new = Conversa nova
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = Devo esquecer a conversa “{ $title }”, com o que aprendi dela?
chats-after-delete = /chats mostra as outras conversas.
