web-no-session = 这个链接已用过或已过期，或者你已退出登录。给我发送 /dashboard 就能得到新的链接。
web-not-served = 请让管理这个机器人的人允许你使用。
web-not-yours = 这份记忆属于别人；群组的记忆只有管理员能看到。
web-too-large = 内容太大了。
web-elsewhere = 你的记忆正在使用。请稍后再试。
web-one-file = 另一个文件还在传输。请稍后再试。
web-open = 打开我的记忆
web-link =
    我在这里记住的一切。链接只能用一次，{ $minutes } 分钟内有效，请不要给别人：
    { $link }
web-none = 这里没有这样的页面。
web-set = 现在还没有这样的页面：请把 { $setting } 设为它的 https 地址，然后重启机器人。
web-anonymous = 你是匿名管理员。请用你自己的名义发送这个命令。
web-saved = 已保存。
