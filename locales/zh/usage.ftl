# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = 你的模型用量（按 UTC 计日）
usage-heading-group =
    本群记忆的模型用量（按 UTC 计日）
    回答计入提问者的用量。
usage-days = 最近 { $days } 天：{ $answers }
usage-days-group = 最近 { $days } 天
usage-answers = { $answers ->
   *[other] { $answers } 条回答
 }
usage-nothing = 没有使用 token。
usage-tokens = { $tokens } 个 token：输入 { $prompt } 个（其中 { $cached } 个来自缓存），其余为输出
usage-written = 其中 { $tokens } 个写入了提供商的缓存
usage-cost = 费用：${ $cost }
usage-cost-partly = 费用：${ $cost }，不含未设价格的模型
usage-left = UTC 00:00 之前还剩：{ $tokens } 个 token
