basics-hello = Olá! Sou o Keepsake, um bot de conversa que lembra. É só escrever para mim: as conversas anteriores são resumidas, continuam pesquisáveis e voltam quando importam.
basics-hello-group = Olá! Sou o Keepsake, um bot de conversa que lembra. Aqui respondo a quem me menciona ou responde às minhas mensagens. Este grupo tem uma memória própria, que os administradores ligam e desligam; o que sei de conversas privadas nunca vem para cá.
basics-stored = Com a memória ligada, guardo o que você me escreve e o que respondo, os resumos que faço disso e suas configurações: em arquivos no computador em que funciono (SQLite ou JSON, como você escolher). Para responder, envio sua mensagem e o que importa para ela ao modelo de linguagem que meu operador escolheu. Com a memória desligada, não guardo mensagens, e esta conversa é esquecida quando eu reinicio.
basics-stored-group = Não guardo nada que não seja dirigido a mim. Com a memória ligada, guardo o que os membros dizem quando me mencionam ou me respondem, com seus nomes, o que respondo e os resumos que faço disso: em arquivos no computador em que funciono. Para responder, envio essa mensagem e o que importa para ela ao modelo de linguagem que meu operador escolheu. Com a memória desligada, não guardo mensagens. Cada membro apaga as próprias palavras respondendo a elas com /forget; os administradores apagam qualquer coisa e exportam tudo para o chat privado deles.
basics-reminders = Os lembretes ficam guardados até eu enviá-los ou você cancelá-los, também com a memória desligada.
basics-forgetting = /forget apaga para sempre uma mensagem, um dia ou tudo.
basics-not-mine = O que o Telegram e o provedor do modelo guardam não está ao meu alcance.
basics-mode-on = A memória está ligada aqui e fica em { $storage }.
basics-mode-incognito = O modo anônimo está ligado aqui: leio a memória, mas não gravo nada nela.
basics-mode-off = A memória está desligada aqui.
basics-is-on = A memória está ligada.
basics-is-off = A memória está desligada até você ligar: com o botão abaixo, ou com /summary para escolher como.
basics-is-off-group = A memória está desligada até um administrador ligar: com o botão abaixo, ou com /summary para escolher como.
basics-turn-on = Ligar a memória
basics-see-help = /help mostra o que sei fazer.
basics-just-write = É só escrever para mim que eu respondo.
basics-just-mention = Em um grupo, respondo quando você me menciona ou responde a uma mensagem minha; o grupo tem uma memória própria.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (só administradores)
basics-retention = Meu operador definiu que o que já foi resumido e tem mais de { $days ->
    [one] um dia
   *[other] { $days } dias
 } é apagado para sempre.
