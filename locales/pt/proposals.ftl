proposals-ask-remember = Devo lembrar disto?
proposals-yes-remember = Lembrar
proposals-memory-off = A memória está desligada ou você está em modo anônimo: nada mudou.
proposals-remembered = Vou lembrar: { $text }
proposals-ask-command = Faço isto por você?
proposals-yes-command = Pode fazer
proposals-declined = Nada mudou.
