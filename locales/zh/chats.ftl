# /new and /chats.

chats-begun = 新对话从这里开始。我对你的了解不会变。/chats 列出所有对话。
chats-begun-off = 我们重新开始。记忆已关闭：什么都没有保存。
chats-too-long = 标题最多 { $most } 个字符。
chats-which-title = 叫什么名字？
chats-example = 里斯本之旅
chats-renamed = 现在叫“{ $title }”。
chats-gone = 这个对话已经不存在了。
chats-opened = 我们在这里继续。
chats-off = 记忆已关闭：只有这个对话。发送 /settings 开启。
chats-none = 还没有对话。
chats-heading = 你的对话。点击一个就在那里继续。
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = 新对话
