# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Tu uso de los modelos (días en UTC)
usage-heading-group = Lo que usó de los modelos la memoria de este grupo (días en UTC)
usage-days = Últimos { $days } días: { $answers }
usage-answers = { $answers ->
    [one] { $answers } respuesta
   *[other] { $answers } respuestas
 }
usage-nothing = No se usaron tokens.
usage-tokens = { $tokens } tokens: { $prompt } para leer ({ $cached } de ellos en caché), el resto para escribir
usage-cost = Coste: ${ $cost }
usage-cost-partly = Coste: ${ $cost }, sin los modelos cuyo precio no está fijado
usage-left = Quedan para hoy { $tokens } tokens. Se renueva a las 00:00 UTC.
usage-no-limit = No hay límite diario.
usage-chart = Tokens por día; la barra más alta es { $tokens }.
