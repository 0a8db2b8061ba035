offline-marker = 我是离线模型：只能引用你告诉过我的话。
offline-remembered = 我记得这些：
offline-unknown = 我的记忆里没有这方面的内容。
offline-nearest = 我记得的最接近的内容：
offline-noted = 我读到了。
offline-hello = 你好！
