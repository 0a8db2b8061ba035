proposals-ask-remember = 要我记住这个吗？
proposals-yes-remember = 记住
proposals-memory-off = 记忆已关闭或处于无痕模式：没有任何更改。
proposals-remembered = 已记住：{ $text }
proposals-ask-command = 要我为你这样做吗？
proposals-yes-command = 好的
proposals-declined = 没有任何更改。
