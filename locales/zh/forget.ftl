forget-members = 要收回你自己的话，请用 /forget 回复它。
forget-usage =
    要我忘记什么？
    
    • 一条消息：用 /forget 回复它
    • 某些天：/forget 昨天，/forget 5月1日 – 6月3日
    • 搜索到的内容：/forget 关键词
    • 全部：/forget 全部
    
    删除之前我会先问你。
forget-final = 此操作无法撤销。
forget-clean = 机器人的文件里已经没有它的任何内容。
forget-traces = 机器人的文件里暂时可能还留有痕迹；清理还在继续。
forget-kept = 什么都没有忘记。
forget-gone = 机器人的记忆里没有这些。
forget-former = 那条消息早于本群升级为超级群组。管理员可以用 /forget 加上其中几个词删除它。
forget-no-such-date = 没有这个日期。请写成 2026年6月3日 的样子。
forget-not-in-my-power = 不受机器人控制的有：Telegram 里的这个聊天、模型提供商保留的内容、以前的备份。
forget-today = 今天
forget-everything = 全部
forget-none-found = 这里没有含有这些词的消息。
forget-elsewhere = /search 可在所有对话中查找；/chats 可打开某个对话。
forget-which = 要我忘记其中哪些？
forget-all = 全部 { $number } 条
forget-maybe-more = 可能还有更多。
forget-none-of-them = 都不要
forget-keep-it = 保留
forget-ask-this = 要我忘记这个吗？
forget-it = 忘记
forget-them-too = 一并忘记
forget-all-of-it = 忘记一切
forget-turn = 忘记问题和回答
forget-turns = 忘记这些问题和回答
forget-only-message = 只忘记这条消息
forget-only-messages = 只忘记这些消息
forget-erases = 将删除：{ $what }。
forget-choices-stay = 时区、自定义风格和对摘要的要求也会一起删除。其他设置保持不变。
forget-done = 已忘记。
forget-line = #{ $id } · { $date } · { $speaker }：“{ $text }”
forget-profiles = 你的资料的 { $profiles } 个版本
forget-versions = { $versions } 个旧版本
forget-reminders = { $reminders ->
   *[other] { $reminders } 个提醒
 }
forget-answers = { $answers } 条之后的回答
forget-import-stops = 正在导入。导入会停止，已导入的内容也会删除。
forget-quotes = 引用它的有：{ $what }。
forget-words-may-stay = 其他消息里可能有相同的词；用 /search 可以找到。
forget-receipt = 已忘记：{ $what }。
forget-kept-aside = 这里保留的损坏或被替换的文件可能含有它：{ $names }。
# What may be written for it after /forget.
forget-words-everything = 全部 所有 一切
forget-group = 全部：本群所有话题的全部记忆
forget-words-stay = 其中一些词仍在：{ $what }。用 /search 可以找到。
