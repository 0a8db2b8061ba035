incognito-on = 无痕模式已开启：回答时我仍会读取记忆，但不写入任何内容。现在说的话，我会记到重启或你关闭此模式为止。我的回答会标有“{ $mark }”。发送 /incognito off 结束。
incognito-off = 无痕模式已关闭：从现在起我又会记住了。这段时间说的话没有保存在任何地方，我也已经丢掉了。
incognito-how = 发送 /incognito on、/incognito off，或只发 /incognito 进行切换。
incognito-memory-off = 这里的记忆是关闭的：本来就不保存也不读取任何内容。发送 /summary_on 开启。
incognito-on-already = 无痕模式已经是开启的。
incognito-off-already = 无痕模式本来就是关闭的。
