why-nothing-known = Aquí aún no he respondido nada que pueda explicar.
why-not-this-one = No sé en qué se basó ese mensaje. Solo puedo explicar mis respuestas, y solo las 100 más nuevas. Responde a una con /why, o envía solo /why para la última.
why-title = En qué se basa mi respuesta ({ $date })
why-not-stored = Esta explicación no está guardada: la olvido cuando me reinicio.
why-heading-parts = Lo que recibió el modelo
why-heading-summaries = Resúmenes de conversaciones anteriores
why-heading-profile = Tu perfil
why-heading-facts = Datos sobre ti que encajan con tu pregunta, los mejores primero
why-heading-snippets = Mensajes anteriores recuperados para tu pregunta, los mejores primero
why-heading-looked-up = Mensajes anteriores que el modelo buscó por su cuenta
why-heading-recent = Conversación reciente, palabra por palabra
why-heading-here = Conversación reciente que no está guardada
why-heading-cut = Omitido, pero se encuentra cuando hace falta
why-part-system = mis instrucciones
why-part-profile = tu perfil
why-part-summaries = resúmenes
why-part-recent = conversación reciente, palabra por palabra
why-part-tools = herramientas y lo que encontraron
why-part-instructions = lo que me pediste tener siempre en cuenta
why-part-facts = datos sobre ti
why-part-snippets = mensajes anteriores recuperados
why-part-clock = fecha y hora, y a qué respondiste
why-part-message = tu mensaje
why-part-overhead = lo propio de la petición
why-for-words = mismas palabras que tu pregunta
why-for-words-before = palabras de lo que preguntaste antes
why-for-meaning = significado parecido
why-for-nearby = junto a algo que encaja
why-for-pinned = lo fijaste
why-for-instruction = lo pediste
why-for-preference = lo prefieres
why-for-speaker = nombraste a quien lo dijo
why-for-reply = va con lo que respondiste
why-for-time = del tiempo por el que preguntas
why-for-opening = abre la charla de ese día
why-for-recent = dicho hace poco
why-loosely = solo vagamente relacionado
why-until-then = Hasta entonces: «{ $text }»
why-count-recent = { $number ->
    [one] { $number } mensaje reciente
   *[other] { $number } mensajes recientes
 }
why-count-facts = { $number ->
    [one] { $number } dato sobre ti
   *[other] { $number } datos sobre ti
 }
why-count-found = { $number ->
    [one] { $number } mensaje anterior encontrado
   *[other] { $number } mensajes anteriores encontrados
 }
why-count-profile = tu perfil
why-sources = Tu pregunta, y { $what }.
why-sources-none = Solo tu pregunta: no se sabía nada más.
why-size = El modelo { $model } recibió { $tokens } de { $most } tokens como máximo.
why-size-whole = Todo el historial habría sido unos { $tokens }.
why-tokens = { $tokens ->
    [one] { $tokens } token
   *[other] { $tokens } tokens
 }
why-tokens-of = { $tokens } de { $most ->
    [one] { $most } token
   *[other] { $most } tokens
 }
why-part = · { $part }: { $size }
why-here = { shared-messages }, que sé hasta que me reinicie
why-summary = · { $dates }, { shared-messages }: «{ $text }»
why-gone = · { $number } más, desde entonces olvidados o rehechos
why-profile-gone = Desde entonces se ha borrado.
why-profile = A { $date } (siempre incluido): «{ $text }»
why-forgotten = olvidado desde entonces
why-fact = · «{ $text }» Desde { $day }, aprendido de { $messages ->
    [one] { $messages } mensaje tuyo
   *[other] { $messages } mensajes tuyos
 }.
why-fact-by-hand = · «{ $text }» Desde { $day }, añadido a mano.
why-why = Por qué: { $reason }
why-message-cut = Tu mensaje era demasiado largo y se cortó por el medio.
why-cut-summary = Un resumen más antiguo: no había sitio.
why-said = { $date } { $speaker }: «{ $text }»
why-span = { $first } a { $last }
why-cut-turns = Mensajes más antiguos: no había sitio.
why-cut-archived = Mensajes más antiguos que ningún resumen recoge.
why-cut-document = Pasajes de un archivo: se buscan, no se repiten.
why-details = Detalles
why-page = Página { $page } de { $pages }
