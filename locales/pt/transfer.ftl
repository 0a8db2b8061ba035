transfer-admins-export = Só os administradores deste grupo podem exportar a memória dele.
transfer-admins-import = Só os administradores deste grupo podem importar para a memória dele.
