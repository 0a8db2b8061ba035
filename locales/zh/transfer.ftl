transfer-admins-export = 只有本群管理员可以导出群的记忆。
transfer-admins-import = 只有本群管理员可以向群的记忆导入内容。
transfer-nothing = 没有可导出的：什么都没存。
transfer-not-private = 我没能给你发私信，也不会把本群记住的内容发在群里。请打开与我的私聊，点击“开始”，再在这里发送 /export。
transfer-anonymous = 你是以群的身份发言，所以我不知道该把文件给谁。请用你自己的名义发送 /export。
transfer-sent = 我已私下发给你。
transfer-ask-for-file =
    现在请在 10 分钟内把文件发给我。我能读取：
    • 我的导出文件（/export），
    • Telegram Desktop：一个聊天或全部（导出聊天记录，JSON 或 HTML），
    • ChatGPT、Claude：数据导出的 .zip；Gemini：Google Takeout 的“我的活动”、AI Studio，
    • WhatsApp（导出聊天）、Discord、JSON 或 Markdown 格式的对话。

    最大 20 MB，支持 .zip 和 .gz。我会先说明会增加什么；在你同意之前不保存任何内容。
transfer-as-reply = 请以回复这条消息的方式发送。
transfer-no-file = 我看不到那个文件了。请再发一次，并以 /import 作为说明文字。
transfer-left = 没有导入任何内容。
transfer-not-awaited = 我不再等待文件。没有导入任何内容。
transfer-again = 已导入的保留；请再发一次文件以继续。
transfer-incognito = 无痕模式下不写入任何内容。发送 /incognito 结束该模式，然后再发一次文件。
transfer-import = 导入
transfer-cancel = 取消
transfer-importing = 正在导入……
transfer-importing-so-far = 正在导入…… { $done } / { shared-messages }。
transfer-stopped = 导入在 { shared-messages }之后停止了。
transfer-not-begun = 导入没有开始。
transfer-moved = 其间记忆被迁移或删除了。
transfer-plan = 这是{ $name }，含 { shared-messages }。
transfer-plan-facts = 这是{ $name }，含 { shared-messages }和 { shared-facts }。
transfer-plan-whole = 这里没有存其他内容，所以会按原样恢复：消息、摘要、事实、设置。
transfer-plan-part = 这是多个文件之一，会按原样恢复：现在恢复消息，摘要、事实和设置随最后一个文件恢复。请把其余文件也发来，顺序不限。还缺：{ $missing }。
transfer-done-part = 完成：{ shared-messages }已按原样恢复。还缺：{ $missing }。
transfer-adds = 将增加 { shared-messages }。
transfer-adds-day = 将增加 { $day } 的 { shared-messages }。
transfer-adds-days = 将增加 { $first } 至 { $last } 的 { shared-messages }。
transfer-adds-facts = 将增加 { shared-facts }。
transfer-as-history = 它们会按各自的日期作为历史归档：需要时能找到，并以摘录的方式总结，不使用模型（之后可用 /summary_rebuild 改进）。
transfer-all-known = 这些我都已经知道了，没有可导入的。
transfer-empty = 其中没有消息，没有可导入的。
transfer-turns-on = 记忆是关闭的；导入会开启它。
transfer-known = { shared-messages }我已经知道，保持原样。
transfer-done-whole = 完成：{ shared-messages }及其相关内容都已按原样恢复。
transfer-done = 完成，已增加：{ $what }。
transfer-ask-me = 你可以问我有关的问题。
transfer-its-facts = { $facts ->
   *[other] 其中的事实也会导入。
 }
transfer-its-facts-known = { $facts ->
   *[other] 其中的事实我已经知道。
 }
transfer-new-facts = 尚不知道的 { shared-facts }也会导入。
transfer-settings = 你的设置
transfer-of-group = 群组“{ $title }”的记忆。
transfer-caption = 供机器读取（JSON），我在这里保存的一切：{ $what }。用 /import 可以再读回来。
transfer-caption-gz = 供机器读取（压缩的 JSON），我在这里保存的一切：{ $what }。用 /import 可以再读回来。
transfer-plan-reminders = 将设置的提醒：{ $reminders }
transfer-paste = 来自其他助手
transfer-paste-how = 把我的下一条消息复制给那个助手，然后在 10 分钟内把它的回答粘贴到这里。每条事实在保存前都会给你看。
transfer-paste-prompt = 列出你知道和记住的关于我的一切：事实、偏好、人物、项目、日期。每行一条，格式为 [日期（如已知）] - 内容。不要遗漏，也不要添加其他内容。
transfer-choose-none = 全不选
transfer-choose-all = 全选
transfer-go-on = 继续
transfer-pause = 暂停
transfer-stopping = 马上停下。
transfer-paused = 已暂停；已导入的内容会保留。
transfer-ended = 导入已结束；已导入的内容会保留，可用 /forget 删除。
transfer-minutes-left = 大约还需 { $minutes } 分钟。
transfer-for-whom = 导出给谁用？给人读：Markdown 文件和一个可搜索的页面。给机器：JSON，/import 可以再读回来。
transfer-for-me = 给我自己
transfer-for-a-machine = 给机器
transfer-caption-zip = 供阅读：{ $what }，Markdown 格式，每月一个文件。可用 Obsidian 打开。
transfer-caption-html = 在浏览器中阅读，无需联网：{ $what }，可搜索。
transfer-page-title = 我的记忆
transfer-page-search = 搜索
transfer-page-profile = 档案
transfer-page-facts = 事实
transfer-page-summaries = 摘要
transfer-page-me = 我
transfer-page-bot = Keepsake
