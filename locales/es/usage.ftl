# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Tu uso de los modelos (días en UTC)
usage-heading-group =
    Uso de los modelos para la memoria de este grupo (días en UTC)
    Las respuestas cuentan para quien pregunta.
usage-days = Últimos { $days } días: { $answers }
usage-days-group = Últimos { $days } días
usage-answers = { $answers ->
    [one] { $answers } respuesta
   *[other] { $answers } respuestas
 }
usage-nothing = No se usaron tokens.
usage-tokens = { $tokens } tokens: { $prompt } de entrada ({ $cached } en caché), el resto de salida
usage-written = { $tokens } de los de entrada se guardaron en la caché del proveedor
usage-cost = Gasto: ${ $cost }
usage-cost-partly = Gasto: ${ $cost }, sin los modelos cuyo precio no está fijado
usage-left = Quedan hasta las 00:00 UTC: { $tokens } tokens
