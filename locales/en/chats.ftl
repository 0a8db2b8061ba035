# /new and /chats.

chats-begun = A new conversation begins here. What I know about you stays. /chats shows all of them.
chats-begun-off = We start over. Memory is off: nothing was kept.
chats-too-long = A title has at most { $most } characters.
chats-which-title = What shall it be called?
chats-example = Trip to Lisbon
chats-renamed = It is called “{ $title }” now.
chats-gone = This conversation is gone.
chats-opened = We go on here.
chats-off = Memory is off: there is only this conversation. /settings turns it on.
chats-none = There is no conversation yet.
chats-heading = Your conversations. Press one to go on there.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = New conversation
