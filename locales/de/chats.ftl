# /new and /chats.

chats-begun = Hier beginnt eine neue Unterhaltung. Was ich über dich weiß, bleibt. /chats zeigt alle.
chats-begun-off = Wir fangen von vorn an. Das Gedächtnis ist aus: Nichts wurde behalten.
chats-too-long = Ein Titel hat höchstens { $most } Zeichen.
chats-which-title = Wie soll sie heißen?
chats-example = Reise nach Lissabon
chats-renamed = Sie heißt jetzt „{ $title }“.
chats-gone = Diese Unterhaltung gibt es nicht mehr.
chats-opened = Hier machen wir weiter.
chats-off = Das Gedächtnis ist aus: Es gibt nur diese Unterhaltung. /settings schaltet es ein.
chats-none = Es gibt noch keine Unterhaltung.
chats-heading = Deine Unterhaltungen. Tippe auf eine, um dort weiterzumachen.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Neue Unterhaltung
