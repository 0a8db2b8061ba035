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
shared-semicolon = ;{ " " }
shared-quoted = “{ $text }”
shared-yesterday = ontem
shared-today = hoje
shared-tomorrow = amanhã
shared-you = você
shared-me = eu
shared-tool = uma ferramenta
shared-admins-only = Só os administradores deste grupo podem mudar as configurações da memória dele.
shared-dead-button = Este botão não faz mais nada.
shared-not-yours = Este botão é de outra pessoa.
shared-not-here = Este botão não faz nada aqui.
shared-failed = Não deu certo. Tente de novo.
shared-takes-nothing = { $command } não leva nada depois, então não fiz nada. Envie só { $command }.
shared-unknown = Não conheço o comando { $command }. /help mostra os que conheço.
shared-unknown-near = Não conheço o comando { $command }. Você quis dizer { $near }? /help mostra os que conheço.
shared-once-more = Tente de novo; /cancel deixa tudo como está.
shared-too-long = São { $length } caracteres; o máximo é { $most }. Nada mudou.
