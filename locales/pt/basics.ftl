basics-hello = Olá, sou o Keepsake: um bot de conversa que lembra o que você conta.
basics-stored = Com a memória ligada, guardo suas mensagens, minhas respostas, resumos e configurações no computador em que funciono. Para responder, envio sua mensagem e o que tem a ver com ela a um modelo de linguagem. Com a memória desligada, ao reiniciar esqueço esta conversa.
basics-stored-group = Neste grupo guardo só o que é dito a mim, com os nomes de quem disse. Nada das conversas privadas vem para cá. Cada membro apaga as próprias palavras respondendo a elas com /forget; os administradores, qualquer coisa.
basics-reminders = Os lembretes ficam até serem enviados ou cancelados.
basics-forgetting = /forget apaga para sempre, mas não o que o Telegram e o provedor do modelo guardam.
basics-mode-on = A memória está ligada e fica em { $storage }.
basics-mode-incognito = 🕶 O modo anônimo está ligado: leio a memória e não gravo nada nela.
basics-mode-off = A memória está desligada: não guardo nada até ser ligada.
basics-turn-on = Ligar a memória
basics-button-stored = O que fica guardado
basics-button-help = Ajuda
basics-button-more = Mais
basics-see-help = /help diz o que sei fazer, e /privacy o que guardo.
basics-just-write = É só escrever para mim que eu respondo.
basics-just-mention = Mencione-me ou responda a mim, e eu respondo.
basics-row = { $command } – { $description }
basics-retention = O que já foi resumido e tem mais de { $days ->
    [one] um dia
   *[other] { $days } dias
 } é apagado para sempre.
