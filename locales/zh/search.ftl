search-how = /search 关键词：按文字和意思查找以前的消息。引号里的内容原样查找：/search "核桃油"
search-not-configured = 没有可搜索的：这里从未开启过记忆。发送 /summary 进行设置。
search-no-more = 没有更多了。
search-nothing = 什么也没找到。换些词，或少用几个词试试。
search-so-far = { $shown } / { $total }
search-more = 更多
search-in-all = 在所有对话中查找
search-close = 没有含有这些词的消息。意思最接近的有：
