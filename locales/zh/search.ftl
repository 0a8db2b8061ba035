search-how = 发送 /search 关键词，可以在这里查找以前的消息（无论是否已总结），最相关的在前：按文字查找；如果开启了语义搜索，也按意思查找。引号里的内容会原样查找： /search "核桃油"
search-not-configured = 没有可搜索的：这里从未开启过记忆。发送 /summary 进行设置。
search-too-old = 这个列表太旧了，请重新搜索。
search-no-more = 没有更多了。
search-nothing = 在这个对话里没有找到。请换几个词，或少用几个词。
search-so-far = { $shown } / { $total }
search-more = 更多
