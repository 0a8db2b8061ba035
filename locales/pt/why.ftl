why-nothing-known = Ainda não respondi aqui nada que eu possa explicar.
why-not-this-one = Não sei em que essa mensagem se baseou. Só posso explicar minhas respostas, e só as 100 mais novas. Responda a uma com /why, ou envie só /why para a última.
why-title = Em que se baseou minha resposta ({ $date })
why-not-stored = Esta explicação não está guardada: eu a esqueço quando reinicio.
why-heading-parts = O que o modelo recebeu
why-heading-summaries = Resumos de conversas anteriores
why-heading-profile = Seu perfil
why-heading-facts = Fatos sobre você que combinam com a pergunta, os melhores primeiro
why-heading-snippets = Mensagens anteriores trazidas para sua pergunta, as melhores primeiro
why-heading-looked-up = Mensagens anteriores que o modelo procurou sozinho
why-heading-recent = Conversa recente, palavra por palavra
why-heading-here = Conversa recente que não está guardada
why-heading-cut = Deixado de fora, mas encontrado quando for preciso
why-part-system = minhas instruções
why-part-profile = seu perfil
why-part-summaries = resumos
why-part-recent = conversa recente, palavra por palavra
why-part-tools = ferramentas e o que encontraram
why-part-instructions = o que você me pediu para seguir
why-part-facts = fatos sobre você
why-part-snippets = mensagens anteriores trazidas
why-part-clock = data e hora, e a que você respondeu
why-part-message = sua mensagem
why-part-overhead = o próprio pedido
why-for-words = mesmas palavras da sua pergunta
why-for-words-before = palavras do que você perguntou antes
why-for-meaning = significado parecido
why-for-nearby = ao lado de algo que combina
why-for-pinned = você a fixou
why-for-instruction = você pediu isso
why-for-preference = você prefere isso
why-for-speaker = você citou quem disse
why-for-reply = faz parte do que você respondeu
why-for-time = do período que você perguntou
why-for-opening = abre a conversa daquele dia
why-for-recent = dito há pouco
why-loosely = só vagamente relacionado
why-until-then = Até então: “{ $text }”
why-count-recent = { $number ->
    [one] { $number } mensagem recente
   *[other] { $number } mensagens recentes
 }
why-count-facts = { $number ->
    [one] { $number } fato sobre você
   *[other] { $number } fatos sobre você
 }
why-count-found = { $number ->
    [one] { $number } mensagem anterior encontrada
   *[other] { $number } mensagens anteriores encontradas
 }
why-count-profile = seu perfil
why-sources = Sua pergunta, e { $what }.
why-sources-none = Só sua pergunta: nada mais era conhecido.
why-size = O modelo { $model } recebeu { $tokens } de no máximo { $most } tokens.
why-size-whole = O histórico inteiro teria sido cerca de { $tokens }.
why-tokens = { $tokens ->
    [one] { $tokens } token
   *[other] { $tokens } tokens
 }
why-tokens-of = { $tokens } de { $most ->
    [one] { $most } token
   *[other] { $most } tokens
 }
why-part = · { $part }: { $size }
why-here = { shared-messages }, que sei até reiniciar
why-summary = · { $dates }, { shared-messages }: “{ $text }”
why-gone = · mais { $number }, desde então esquecidos ou refeitos
why-profile-gone = Desde então foi apagado.
why-profile = Em { $date } (sempre incluído): “{ $text }”
why-forgotten = esquecido desde então
why-fact = · “{ $text }” Desde { $day }, aprendido de { $messages ->
    [one] { $messages } mensagem sua
   *[other] { $messages } mensagens suas
 }.
why-fact-by-hand = · “{ $text }” Desde { $day }, acrescentado à mão.
why-why = Por quê: { $reason }
why-message-cut = Sua mensagem era longa demais e foi cortada no meio.
why-cut-summary = Um resumo mais antigo: não coube.
why-said = { $date } { $speaker }: “{ $text }”
why-span = { $first } a { $last }
why-cut-turns = Mensagens mais antigas: não couberam.
why-cut-archived = Mensagens mais antigas que nenhum resumo cobre.
why-cut-document = Trechos de um arquivo: são pesquisados, não repetidos.
why-details = Detalhes
why-page = Página { $page } de { $pages }
