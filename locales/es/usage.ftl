# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Tu uso de los modelos (días en UTC)
usage-heading-group = Lo que usó de los modelos la memoria de este grupo (días en UTC)
usage-days = Últimos { $days } días: { $answers }
usage-answers = { $answers ->
    [one] { $answers } respuesta
   *[other] { $answers } respuestas
 }
usage-nothing = No se usaron tokens.
usage-tokens = { $tokens } tokens: { $prompt } de entrada ({ $cached } en caché), el resto de salida
usage-cost = Gasto: ${ $cost }
usage-cost-partly = Gasto: ${ $cost }, sin los modelos cuyo precio no está fijado
usage-left = Quedan { $tokens } tokens del cupo de hoy. Se renueva a las 00:00 UTC.
usage-no-limit = No hay límite diario.
