transfer-nothing = 没有可导出的内容。
transfer-not-private = 我没能给你发私信。请在与我的私聊中点“开始”，再在这里发送 { $command }。
transfer-anonymous = 你以群的身份发言，我不知道该发给谁。请用自己的名义发送 /export。
transfer-sent = 我已私下发给你。
transfer-ask-for-file =
    请在 10 分钟内把文件发给我。我能读取：
    • 我的导出文件、Telegram Desktop（JSON 或 HTML）、WhatsApp、Discord，
    • ChatGPT 和 Claude（导出的 .zip）、Gemini（Google Takeout 的“我的活动”、AI Studio），
    • JSON 或 Markdown 格式的对话。

    最大 20 MB，也可以是 .zip 或 .gz。在你同意之前不保存任何内容。
transfer-as-reply = 请以回复这条消息的方式发送。
transfer-no-file = 我看不到那个文件了。请再发一次，并以 /import 作为说明文字。
transfer-left = 没有导入任何内容。
transfer-again = 已导入的保留；请再发一次文件以继续。
transfer-incognito = 无痕模式下不写入任何内容。/incognito 可结束该模式。
transfer-import = 导入
transfer-cancel = 取消
transfer-importing = 正在导入……
transfer-importing-so-far = 正在导入…… { $done } / { shared-messages }。
transfer-stopped = 导入在 { shared-messages }之后停止了。
transfer-not-begun = 导入没有开始。
transfer-moved = 其间记忆被迁移或删除了。
transfer-plan-none = 这是{ $name }。
transfer-plan = 这是{ $name }，含{ $what }。
transfer-plan-whole = 这里没有存其他内容，所以会全部按原样恢复。
transfer-plan-part = 现在恢复消息，其余随最后一个文件恢复。请把其余文件也发来。还缺：{ $missing }。
transfer-done-part = 完成：{ shared-messages }已恢复。还缺：{ $missing }。
transfer-adds = 将增加{ $what }。
transfer-adds-dated = 将增加{ $what }（{ $when }）。
transfer-as-history = 它们会保留原来的日期，不调用模型。需要时我能找到。
transfer-all-known = 这些我都已经知道了，没有可导入的。
transfer-empty = 其中没有消息，没有可导入的。
transfer-turns-on = 记忆是关闭的；导入会开启它。
transfer-known = 已经知道：{ shared-messages }。
transfer-done-whole = 完成：{ shared-messages }及其相关内容都已恢复。
transfer-done = 完成，已增加：{ $what }。
transfer-ask-me = 你可以问我有关的问题。
transfer-new-facts = 新事实：{ $facts } 条。
transfer-settings = 你的设置
transfer-of-group = 群组“{ $title }”的记忆。
transfer-caption = 供机器读取（JSON），我在这里保存的一切：{ $what }。用 /import 可以再读回来。
transfer-plan-reminders = 将设置的提醒：{ $reminders }
transfer-paste = 来自其他助手
transfer-paste-how = 把我的下一条消息复制给那个助手，并在 10 分钟内把回答粘贴到这里。保存前你会看到每条事实。
transfer-paste-prompt = 列出你知道和记住的关于我的一切：事实、偏好、人物、项目、日期。每行一条，格式为 [日期（如已知）] - 内容。不要遗漏，也不要添加其他内容。
transfer-choose-none = 全不选
transfer-choose-all = 全选
transfer-go-on = 继续
transfer-pause = 暂停
transfer-stopping = 马上停下。
transfer-paused = 已暂停；已导入的内容会保留。
transfer-ended = 导入已结束；已导入的保留，可用 /forget 删除。
transfer-minutes-left = 大约还需 { $minutes } 分钟。
transfer-for-whom = 导出给谁用？给人读：Markdown 和可搜索的页面。给机器：JSON，/import 可以再读回来。
transfer-for-me = 给我自己
transfer-for-a-machine = 给机器
transfer-caption-zip = 供阅读：{ $what }，Markdown 格式，每月一个文件。可用 Obsidian 打开。
transfer-caption-html = 在浏览器中阅读，离线也行：{ $what }，可搜索。
transfer-page-title = 我的记忆
transfer-page-search = 搜索
transfer-page-profile = 资料
transfer-page-facts = 事实
transfer-page-summaries = 摘要
transfer-page-me = 我
