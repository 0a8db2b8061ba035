# /new and /chats.

chats-begun = Aqui começa uma conversa nova. O que sei sobre você fica. /chats mostra todas.
chats-begun-off = Começamos de novo. A memória está desligada: nada foi guardado.
chats-too-long = Um título tem no máximo { $most } caracteres.
chats-which-title = Como deve se chamar?
chats-example = Viagem a Lisboa
chats-renamed = Agora se chama “{ $title }”.
chats-gone = Esta conversa não existe mais.
chats-opened = Continuamos aqui.
chats-off = A memória está desligada: só há esta conversa. /settings a liga.
chats-none = Ainda não há conversas.
chats-heading = Suas conversas. Toque em uma para continuar nela.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Conversa nova
