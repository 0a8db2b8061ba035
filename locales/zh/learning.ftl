learning-offer = 从中学习事实
learning-what-it-takes = 除非你要求，我不会从中学习事实。如果要求，我现在会读你的 { shared-messages }，大约 { $requests ->
   *[other] { $requests } 次请求
 }，共约 { $tokens } 个 token：在后台进行，并在每日 token 额度之内。
learning-begun = 我正在后台从中学习事实。发送 /summary_status 查看进度，发送 /memory 查看我知道的内容。
learning-busy = 我还在学习之前导入的内容。请等它完成后再试。
learning-off = 我现在不能学习：记忆已关闭（/summary_on）、无痕模式已开启（/incognito off），或我的运营者关闭了学习。
learning-nothing = 其中没有（更多）可学的内容。
learning-stopped = 我已停止从中学习。学到的会保留；点击按钮可继续。
learning-stop = 停止
learning-continue = 继续
