forget-admins-only = 只有本群管理员可以让我忘记这里说过的话。
forget-members = 只有本群管理员可以让我忘记这里说过的话。你自己的话可以自己收回：用 /forget 回复你的那条消息。
forget-usage =
    要我忘记什么？

    • 一条消息：用 /forget 回复它，或发送 /forget #12
    • 一条事实：/forget 事实 12
    • 一天或几天：/forget 2026-01-31，/forget 2026-01-01 2026-02-01，/forget 昨天
    • 搜索到的内容：/forget 关键词
    • 全部：/forget 全部

    删除之前，我会先说明内容并询问你。
forget-final = 此操作无法撤销。
forget-clean = 我的文件里已经没有它的任何内容。
forget-traces = 我的文件里暂时可能还留有痕迹，因为文件正在使用或磁盘已满。我会继续清理。
forget-expired = 这个问题已超过 10 分钟，不再有效。请重新发送 /forget。
forget-kept = 什么都没有忘记。
forget-gone = 我的记忆里没有（或不再有）这个。
forget-not-stored = 你所回复的那条消息不在我的记忆里。
forget-former = 我无法确定那是哪条消息，因为它是在本群升级为超级群组之前发的：管理员可以用 /forget 加上其中几个词找到并删除它。
forget-no-such-date = 没有这个日期。日期请写成 2026-01-31 的样子。
forget-not-in-my-power = 不受我控制的有：这个聊天里写下的内容（你可以在 Telegram 中删除）、模型提供商从以前的请求中保留的内容，以及之前做的备份。
forget-today = 今天
forget-everything = 全部
forget-none-found = 在这个对话里没有找到含有这些词的消息。什么都没有忘记。
forget-elsewhere = 也许在另一个对话里：/search 可在所有对话中查找，/chats 可打开某个对话。
forget-which = 要我忘记其中哪些？删除之前我会再问一次。
forget-all = 全部 { $number } 条
forget-maybe-more = 可能还有更多：处理完这些后请再搜索一次。
forget-none-of-them = 都不要
forget-keep-it = 保留
forget-nothing-there = 那里没有可忘记的内容。
forget-ask-fact = 要我忘记事实 { $id } 吗？
forget-ask-day = 要我忘记 { $day } 说过的话吗？
forget-ask-days = 要我忘记 { $first } 到 { $last } 说过的话吗？
forget-ask-everything = 要我忘记一切吗？
forget-ask-everything-group = 要我忘记一切吗？这是本群所有话题的全部记忆。
forget-ask-this = 要我忘记这个吗？
forget-ask-these = 要我忘记这 { shared-messages }吗？
forget-it = 忘记
forget-them-too = 一并忘记
forget-messages = 忘记 { shared-messages }
forget-all-of-it = 忘记一切
forget-turn = 忘记问题和回答
forget-turns = 忘记这些问题和回答
forget-only-message = 只忘记这条消息
forget-only-messages = 只忘记这些消息
forget-erases = 将删除：{ $what }。
forget-erases-with-them = 连同它们，将删除：{ $what }。
forget-erases-with-turn = 连同相关的问题或回答，将删除：{ $what }。
forget-erases-with-request = 连同相关的问题或回答和你刚才的请求，将删除：{ $what }。
forget-erases-with-turns = 连同相关的问题和回答：{ $what }。
forget-choices-stay = 你的设置保持不变。
forget-done = 已忘记。
forget-line = #{ $id } · { $date } · { $speaker }：“{ $text }”
forget-reactivated = 相邻的 { shared-messages }会保留，并在去掉它之后重新总结。
forget-profiles = 你的资料的 { $profiles } 个版本
forget-versions = { $versions } 份旧文本
forget-reminders = { $reminders ->
   *[other] { $reminders } 个提醒
 }
forget-answers = { $answers } 条之后的回答
forget-quotes = { $count ->
   *[other] { $what }引用了它。
 }
forget-quotes-stay = { $count ->
   *[other] { $what }引用了它，并会保留。
 }
forget-words-stay = 其中一些词也出现在会保留的 { shared-messages }里；用 /search 可以找到。
forget-words-may-stay = 保留的消息里可能有一些相同的词；用 /search 可以找到。
forget-receipt = 已忘记：{ $what }。{ $rest }
forget-kept-aside = 我的运营者还保留着损坏或被替换的文件，其中可能含有它：{ $names }。
# What may be written for it after /forget.
forget-words-everything = 全部/所有/一切
