shared-messages = { $messages ->
    [one] { $messages } mensagem
   *[other] { $messages } mensagens
 }
shared-turns = { $turns ->
    [one] { $turns } mensagem sua
   *[other] { $turns } mensagens suas
 }
shared-facts = { $facts ->
    [one] { $facts } fato
   *[other] { $facts } fatos
 }
shared-summaries = { $summaries ->
    [one] { $summaries } resumo
   *[other] { $summaries } resumos
 }
shared-and = { $first } e { $last }
shared-or = { $first } ou { $last }
shared-comma = ,{ " " }
shared-quoted = “{ $text }”
shared-yesterday = ontem
shared-today = hoje
shared-tomorrow = amanhã
shared-you = você
shared-bot = o bot
shared-tool = uma ferramenta
shared-admins-only = Só os administradores deste grupo podem fazer isso.
shared-dead-button = Este botão não funciona mais. Peça de novo.
shared-not-yours = Este botão é de outra pessoa.
shared-failed = Não deu certo. Tente de novo.
shared-takes-nothing = { $command } não leva nada depois. Envie sozinho.
shared-unknown = Não conheço o comando { $command }. /help mostra todos.
shared-in-private = { $command } só funciona em nossa conversa particular.
shared-once-more = Tente de novo; /cancel deixa tudo como está.
shared-span = { $first } a { $last }
shared-no = Não
shared-near = Você quis dizer { $near }?
shared-too-long = São { $length } caracteres; o máximo é { $most }. Nada mudou.
