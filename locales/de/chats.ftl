# /new and /chats.

chats-begun = Hier beginnt eine neue Unterhaltung. Was vorher gesagt wurde, bleibt in der anderen; was ich über dich weiß, weiß ich weiterhin. /chats zeigt alle.
chats-begun-titled = Hier beginnt eine neue Unterhaltung: „{ $title }“. Was vorher gesagt wurde, bleibt in der anderen; was ich über dich weiß, weiß ich weiterhin. /chats zeigt alle.
chats-begun-off = Wir fangen von vorn an: Was bisher gesagt wurde, ist weggelegt. Das Gedächtnis ist aus, also wird nichts davon behalten.
chats-too-long = Ein Titel hat höchstens { $most } Zeichen, dieser hat { $length }.
chats-which-title = Wie soll diese Unterhaltung heißen?
chats-example = Reise nach Lissabon
chats-renamed = Die Unterhaltung heißt jetzt „{ $title }“.
chats-gone = Diese Unterhaltung gibt es nicht mehr.
chats-opened = Wir machen in dieser Unterhaltung weiter.
chats-off = Das Gedächtnis ist aus, daher gibt es nur, was wir gerade sagen. /settings schaltet es ein; /new fängt von vorn an.
chats-none = Es gibt noch keine Unterhaltung: Seit das Gedächtnis an ist, wurde hier nichts gesagt.
chats-heading = Deine Unterhaltungen. Das Häkchen zeigt, in welcher wir sind; tippe auf eine andere, um dort weiterzumachen.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Neue Unterhaltung
chats-button-later = ◀ Spätere
chats-button-earlier = Frühere ▶
chats-button-new = Neue Unterhaltung
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = Soll ich die Unterhaltung „{ $title }“ vergessen, samt dem, was ich daraus gelernt habe?
chats-after-delete = /chats zeigt die anderen Unterhaltungen.
