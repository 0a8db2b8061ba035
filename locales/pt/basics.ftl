basics-hello = Olá, sou o Keepsake: um bot de conversa que lembra o que você conta.
basics-hello-group = Olá, sou o Keepsake: mencione-me ou responda a mim, e eu respondo e lembro.
basics-stored = Com a memória ligada, guardo suas mensagens, minhas respostas, os resumos delas e suas configurações. Tudo fica no computador em que funciono. Para responder, envio sua mensagem e o que tem a ver com ela a um modelo de linguagem. Com a memória desligada, não guardo mensagens; ao reiniciar, esqueço esta conversa.
basics-stored-group = Não guardo nada que não seja dito a mim. Este grupo tem uma memória própria; o que sei de conversas privadas nunca vem para cá. Com a memória ligada, guardo o que os membros me dizem, seus nomes, minhas respostas e os resumos. Tudo fica no computador em que funciono. Para responder, envio a mensagem e o que tem a ver com ela a um modelo de linguagem. Cada membro apaga as próprias palavras respondendo a elas com /forget. Os administradores apagam qualquer coisa e exportam tudo para o chat privado deles.
basics-reminders = Os lembretes ficam até eu enviá-los ou você cancelá-los.
basics-forgetting = /forget apaga para sempre uma mensagem, um dia ou tudo.
basics-not-mine = Não posso apagar o que o Telegram e o provedor do modelo guardam.
basics-mode-on = A memória está ligada aqui e fica em { $storage }.
basics-mode-incognito = O modo anônimo está ligado aqui: leio a memória, mas não gravo nada nela.
basics-mode-off = A memória está desligada aqui.
basics-is-off = A memória está desligada: não guardo nada até você ligar.
basics-is-off-group = A memória está desligada: não guardo nada até um administrador ligar.
basics-turn-on = Ligar a memória
basics-button-stored = O que fica guardado
basics-button-help = Ajuda
basics-button-more = Mais
basics-see-help = /help diz o que sei fazer, e /privacy o que guardo.
basics-just-write = É só escrever para mim que eu respondo.
basics-just-mention = Em um grupo, respondo quando você me menciona ou responde a uma mensagem minha.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (só administradores)
basics-retention = O que já foi resumido e tem mais de { $days ->
    [one] um dia
   *[other] { $days } dias
 } é apagado para sempre.
