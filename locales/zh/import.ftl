import-title-keepsake = 我自己的导出文件
import-title-telegram = Telegram Desktop 的导出文件
import-title-chatgpt = ChatGPT 的导出文件
import-file-keepsake = 我自己的导出文件
import-file-telegram = Telegram Desktop 的 result.json
import-file-chatgpt = ChatGPT 的 conversations.json
import-or = { $others }或{ $last }
import-kinds-differ = 压缩包里有不同种类的导出文件。请逐个发送。
import-several-own = 压缩包里有多个我的导出文件。请逐个发送。
import-too-many-messages = 文件里的消息超过 { $most } 条。请发送较短的范围。没有导入任何内容。
import-too-many-facts = 文件里的事实超过 { $most } 条。请发送较短的范围。没有导入任何内容。
import-facts-in-all = 加上这些事实，我对这个聊天的了解会超过 { $most } 条。没有导入任何内容。
import-too-many-files = 压缩包里的文件超过 { $most } 个。请发送较短的范围。没有导入任何内容。
import-fact-too-long = facts[{ $number }] 超过 { $most } 个字符，没有这么长的事实。没有导入任何内容。
import-empty = 文件是空的。没有导入任何内容。
import-unknown-format = 我不认识这种格式。我能读{ $known }，也可以是 .zip 或 .gz 压缩的。没有导入任何内容。
import-not-utf8 = 文件不是 UTF-8 文本：第 { $line } 行。没有导入任何内容。
import-damaged-archive = 压缩包已损坏或被锁定。没有导入任何内容。
import-unpacked = 解压后文件超过 { $megabytes } MB。没有导入任何内容。
import-many-in-archive = 压缩包里的文件超过 { $most } 个。没有导入任何内容。
import-no-export = 压缩包里没有我认识的导出文件。我能读{ $known }。没有导入任何内容。
import-too-much = 文件内容超过我一次能读的量。请发送较短的范围。没有导入任何内容。
import-died = 这个文件需要的内存或时间超出我的限度。请发送较短的范围。没有导入任何内容。
import-not-json = 文件不是有效的 JSON：第 { $line } 行第 { $column } 列：{ $why }。没有导入任何内容。
import-too-deep = 嵌套太深
import-out-of-bounds = 有一个数字超出一切界限
import-quotes-expected = 这里应该是带引号的名称
import-follows = 结尾之后还有内容
import-expected = 这里应该是“{ $what }”
import-expected-either = 这里应该是“{ $what }”或“{ $other }”
import-not-telegrams = { $where }id 不是数字，所以文件不是 Telegram 的。没有导入任何内容。
import-wrong = { $where }（第 { $line } 行）：{ $why }。没有导入任何内容。
import-no-object = 它不是对象
import-no-conversation = 它不是对话
import-no-list = 它不是列表
import-no-time = 它不是时间
import-no-node = 没有这个节点
import-circle = 它形成了循环
import-missing = 它缺失了
import-its-no-number = 其 '{ $name }' 不是数字
import-its-no-date = 其 '{ $name }' 不是日期
import-its-no-text = 其 '{ $name }' 不是文本
import-its-no-role = 其 'role' 不是 user、assistant 或 system
import-text-neither = 其 'text' 既不是文本，也不是片段列表
import-piece-wordless = 其 'text' 的一个片段没有文字
import-version = 这个导出文件的版本是 { $version }；我只认识 { $known }。请更新程序。
import-no-owner = 导出文件没有说明属于谁（'owner'）。没有导入任何内容。
import-no-part = 导出文件没有说明这是其中哪个文件（'part'）。没有导入任何内容。
import-damaged = 导出文件已损坏：{ $why }。没有导入任何内容。
import-busy = 现在正在写摘要或进行另一次导入。请稍后再试。
import-chat-saved = 收藏夹
import-chat-replies = 回复
import-chat-nameless = 没有名称的聊天
import-holds-chats = 其中有 { $chats } 个聊天：{ $named }。
import-holds-more = { $named }，还有 { $more } 个
import-holds-conversations = 其中有 { $count } 个对话。
import-none-yours = 其中没有你的消息（你的 Telegram id 是 { $id }）。
import-wordless = { $count ->
   *[other] { $count } 条没有文字的消息（图片、语音、文件）被略过。
 }
import-service = { $count ->
   *[other] { $count } 条服务消息（通话、置顶、加入）被略过。
 }
import-retained = { $days ->
   *[other] 我的运营者让我删除超过 { $days } 天的存档：这些消息中有 { $old } 条会再次被删除。
 }
import-already = 它已经在了；还缺：{ $missing }。
import-instructions = 其中有一些指示，我会像是你给出的一样从此照做：{ $shown }。
import-instructions-more = { $shown }，还有 { $more } 条
import-differs = 无法原样恢复，因为{ $why }。{ $lost }。
import-differs-another = 这是另一个记忆的导出文件
import-differs-holds = 这个记忆里已有内容
import-differs-earlier = 这是旧版本写出的多个文件之一
import-lost-numbers = 其中的消息会得到新编号，并算作导入的
import-lost-summaries = { $count ->
   *[other] { $count } 个摘要会不用模型重新生成
 }
import-lost-profile = 其中的个人资料被略过
import-lost-versions = 编辑过的消息的旧文本被略过
import-send-others = 请把它的其他文件也发来。
import-part = 第 { $number } 部分
import-part-others = 另外 { $count } 个
import-part-following = 第 { $last } 部分之后的内容
