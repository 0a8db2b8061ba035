why-nothing-known = Aquí aún no he respondido nada que pueda explicar.
why-not-this-one = No sé en qué se basó ese mensaje. Solo puedo explicar mis respuestas, y solo las 100 más nuevas. Responde a una con /why, o envía solo /why para la última.
why-title = En qué se basa mi respuesta del { $date }
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
why-for-words = contiene palabras de tu pregunta
why-for-words-nearby = mensajes contiguos las contienen
why-for-words-before = contiene palabras de los turnos anteriores al tuyo
why-for-words-before-nearby = mensajes contiguos contienen esas palabras
why-for-meaning = significa casi lo mismo
why-against-meaning = su significado queda más lejos
why-for-meaning-nearby = mensajes contiguos significan casi lo mismo
why-against-meaning-nearby = los mensajes contiguos quedan más lejos
why-for-fact = de él se aprendió un dato que importa
why-for-importance = es importante
why-against-importance = es menos importante
why-for-pinned = lo fijaste
why-for-instruction = me pediste tenerlo en cuenta
why-for-preference = es lo que prefieres
why-for-speaker = nombraste a quien lo dijo
why-for-reply = respondiste a él, o a un mensaje contiguo
why-for-time = se dijo en el momento por el que se pregunta
why-for-standing = dijiste algo que vale siempre, o lo que prefieres
why-against-assistant = es una respuesta mía larga, que cuenta menos
why-for-newer = lo dijiste después que un mensaje parecido
why-mark-outdated = Pero has dicho algo más nuevo sobre esto, y así se lo dije al modelo.
why-mark-ended = Algo de esto está anticuado, y así se lo dije al modelo.
why-mark-denial = Otras palabras tuyas pueden contradecirlo: le dije al modelo que nombre ambas y pregunte.
why-until-then = Hasta entonces: «{ $text }»
why-no-reason = nada encajaba mejor, y cabía
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
why-why = Por qué: { $reasons }
why-message-cut = Tu mensaje era demasiado largo y se cortó por el medio.
why-cut-summary = Un resumen más antiguo: no había sitio.
why-said = { $date } { $speaker }: «{ $text }»
why-span = { $first } a { $last }
why-cut-turns = Mensajes más antiguos: no había sitio.
why-cut-archived = Mensajes más antiguos que ningún resumen recoge.
why-cut-document = Pasajes de un archivo: se buscan, no se repiten.
why-details = Detalles
why-page = Página { $page } de { $pages }
