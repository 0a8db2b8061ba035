# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Seu uso dos modelos (dias em UTC)
usage-heading-group =
    Uso dos modelos para a memória deste grupo (dias em UTC)
    As respostas contam para quem pergunta.
usage-days = Últimos { $days } dias: { $answers }
usage-days-group = Últimos { $days } dias
usage-answers = { $answers ->
    [one] { $answers } resposta
   *[other] { $answers } respostas
 }
usage-nothing = Nenhum token foi usado.
usage-tokens = { $tokens } tokens: { $prompt } de entrada ({ $cached } em cache), o resto de saída
usage-written = { $tokens } dos de entrada foram gravados no cache do provedor
usage-cost = Custo: ${ $cost }
usage-cost-partly = Custo: ${ $cost }, sem os modelos cujo preço não está definido
usage-left = Restam até 00:00 UTC: { $tokens } tokens
