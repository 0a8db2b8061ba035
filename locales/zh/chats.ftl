# /new and /chats.

chats-begun = 新对话从这里开始。之前说的内容留在另一个对话里；我对你的了解不会变。/chats 列出所有对话。
chats-begun-titled = 新对话从这里开始：“{ $title }”。之前说的内容留在另一个对话里；我对你的了解不会变。/chats 列出所有对话。
chats-begun-off = 我们重新开始：之前说的内容已放到一边。记忆已关闭，所以什么都不会保存。
chats-too-long = 标题最多 { $most } 个字符，这个有 { $length } 个。
chats-which-title = 这个对话叫什么名字？
chats-example = 里斯本之旅
chats-renamed = 这个对话现在叫“{ $title }”。
chats-gone = 这个对话已经不存在了。
chats-opened = 我们在这个对话里继续。
chats-off = 记忆已关闭，所以只有我们现在说的内容。发送 /settings 开启记忆；发送 /new 重新开始。
chats-none = 还没有对话：自记忆开启以来，这里还没有说过话。
chats-heading = 你的对话。打勾的是我们所在的对话；点击另一个就在那里继续。
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = 新对话
chats-button-later = ◀ 较新的
chats-button-earlier = 较早的 ▶
chats-button-new = 新对话
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = 要忘记对话“{ $title }”，以及我从中了解到的内容吗？
chats-after-delete = /chats 列出其他对话。
