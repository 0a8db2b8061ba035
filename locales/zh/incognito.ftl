incognito-on = 无痕模式已开启：回答时我会读取记忆，但不写入任何内容。我的回答会标有“{ $mark }”。发送 /incognito off 结束。
incognito-off = 无痕模式已关闭：我又会记住了。这段时间说的话没有保存。
