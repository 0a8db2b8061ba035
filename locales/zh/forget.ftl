forget-admins-only = 只有本群管理员可以让我忘记这里说过的话。
forget-members = 只有本群管理员可以让我忘记这里说过的话。你自己的话可以自己收回：用 /forget 回复你的那条消息。
