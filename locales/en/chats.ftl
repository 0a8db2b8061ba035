# /new and /chats.

chats-begun = A new conversation begins here. What I know about you, I still know. /chats shows all of them.
chats-begun-titled = A new conversation begins here: “{ $title }”. What I know about you, I still know. /chats shows all of them.
chats-begun-off = We start over. Memory is off, so nothing of what was said is kept.
chats-too-long = A title has at most { $most } characters, and this one has { $length }.
chats-which-title = What should this conversation be called?
chats-example = Trip to Lisbon
chats-renamed = The conversation is called “{ $title }” now.
chats-gone = This conversation is gone.
chats-opened = We go on in this conversation.
chats-off = Memory is off, so there is only this conversation. /settings turns it on; /new starts over.
chats-none = There is no conversation yet.
chats-heading = Your conversations. The tick shows the one that we are in; press another to go on there.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = New conversation
chats-button-later = ◀ Later ones
chats-button-earlier = Earlier ones ▶
chats-button-new = New conversation
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = Shall I forget the conversation “{ $title }”, with what I learned from it?
chats-after-delete = /chats shows the other conversations.
