learning-offer = 从中学习事实
learning-what-it-takes = 只有你要求时，我才从中学习事实。你的 { shared-messages } 约需 { $tokens } 个 token（请求：{ $requests }）。
learning-begun = 我正在从中学习事实。发送 /summary_status 查看进度。
learning-busy = 我还在学习之前导入的内容。
learning-off = 我现在不能学习：记忆已关闭、无痕模式已开启，或这里关闭了学习。
learning-nothing = 其中没有更多可学的内容。
learning-stopped = 我已停止。学到的会保留。
