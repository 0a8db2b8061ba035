web-no-session = 这个链接已经用过，或者已经过期。给我发送 /dashboard 就能得到新的链接。
web-not-served = 这个机器人不回复你。请让管理它的人允许你使用。
web-not-yours = 这份记忆属于别人。在群组里，只有管理员能看到这个页面。
web-too-large = 内容太大了。
web-elsewhere = 你的记忆正在别处使用。请稍后再试。
web-menu-button = 记忆
web-open = 打开我的记忆
web-link =
    我在这里记住的一切，都在一个页面上。这个链接只能用一次，{ $minutes } 分钟内有效，请不要给别人：
    { $link }
web-sent = 我已经在我们的私聊里把链接发给你了。
web-none = 这里没有这样的页面。
web-set = 现在还没有这样的页面。请把 { $setting } 设为它的 https 地址，然后重新启动机器人。
web-anonymous = 你是以匿名管理员的身份发言的，我不知道该把链接发给谁。请用你自己的名义发送这个命令。
web-saved = 已保存。
web-begun = 已经开始。
