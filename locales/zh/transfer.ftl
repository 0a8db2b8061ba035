transfer-admins-export = 只有本群管理员可以导出群的记忆。
transfer-admins-import = 只有本群管理员可以向群的记忆导入内容。
