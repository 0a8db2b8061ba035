forget-admins-only = Só os administradores deste grupo podem me fazer esquecer o que foi dito aqui.
forget-members = Só os administradores deste grupo podem me fazer esquecer o que foi dito aqui. Suas próprias palavras você mesmo pode retirar: responda à sua mensagem com /forget.
