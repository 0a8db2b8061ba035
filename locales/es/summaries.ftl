summaries-not-configured = La memoria aún no está configurada. /summary la configura; /summary_on la activa con lo habitual (SQLite, cada 20 mensajes).
summaries-none = Aún no hay resúmenes. /summary_status muestra cuándo toca el próximo.
summaries-never-on = La memoria ya está desactivada: nunca se activó y no hay nada guardado.
summaries-off-already = La memoria ya está desactivada. Lo guardado se queda guardado.
summaries-off = La memoria está desactivada. Lo guardado se queda guardado, y tus ajustes también; no lo leo ni añado nada hasta que envíes /summary_on.
summaries-now-off = No hay nada que resumir: la memoria está desactivada. /summary_on la activa.
summaries-toast-on = La memoria está activada.
summaries-on-already = La memoria ya está activada ({ $storage }, resumen cada { shared-turns }).
summaries-on = La memoria está activada: la guardo en { $storage } y resumo cada { shared-turns }. Recuerdo a partir de ahora; lo dicho antes no está guardado. /summary lo cambia.
summaries-on-again = La memoria está activada: la guardo en { $storage } y resumo cada { shared-turns }. Recuerdo a partir de ahora; lo dicho mientras estaba desactivada no está guardado. /summary lo cambia.
summaries-status-unset = Memoria: desactivada (aún sin configurar)
summaries-status-storage-unset = Almacenamiento: SQLite (si la activas)
summaries-status-threshold-unset = Resumen: cada { shared-turns } (si la activas)
summaries-status-enabled = Memoria: activada
summaries-status-disabled = Memoria: desactivada
summaries-status-storage = Almacenamiento: { $storage }
summaries-status-threshold = Resumen: cada { shared-turns }
summaries-status-policy = Forma de resumir: { $policy }
summaries-status-policy-by-hand = Forma de resumir: { $policy } (los resúmenes automáticos están desactivados)
summaries-status-since = Mensajes desde el último resumen: { $number }
summaries-status-total = Mensajes en total: { $number }
summaries-status-archived = Mensajes archivados: { $number }
summaries-status-active = Resúmenes activos: { $number }
summaries-status-level = Capas de resúmenes: { $number }
summaries-status-compressed = Los detalles más antiguos se han abreviado { $times ->
    [one] { $times } vez
   *[other] { $times } veces
 }.
summaries-status-rebuilding = Se están rehaciendo todos los resúmenes: { $done } de { $parts ->
    [one] { $parts } parte
   *[other] { $parts } partes
 }.
summaries-status-learning = Aprendiendo datos del historial importado: { $done } de { $total } de tus mensajes.
summaries-status-saved = Tokens ahorrados hasta ahora: unos { $tokens }
summaries-status-incognito = { $mark }: leo la memoria, pero no escribo nada en ella (/incognito off lo desactiva)
summaries-status-folding = Ahora mismo se está haciendo un resumen.
summaries-status-index = Índice de búsqueda: { $done } de { shared-messages }
summaries-status-unreadable = Solo se encuentran por palabras: { shared-messages }
summaries-status-words-only = La búsqueda por significado no funciona ahora, la de palabras sí.
summaries-status-failure = Último fallo: { $date }: { $error } (no se perdió nada)
summaries-status-one-of = Estas cifras son de la conversación abierta; hay { $number } en total (/chats).
summaries-status-json-large = Con más de { $most } mensajes conviene SQLite: /summary lo traslada todo.
summaries-utc = { $date } UTC
summaries-one = { $kind } · { $dates } · { shared-messages }
summaries-folded = He resumido { shared-messages }: { $summaries ->
    [one] { $summaries } resumen nuevo
   *[other] { $summaries } resúmenes nuevos
 }. /summary_show los muestra.
summaries-folded-older = He resumido resúmenes anteriores: { $summaries ->
    [one] { $summaries } resumen nuevo
   *[other] { $summaries } resúmenes nuevos
 }. /summary_show los muestra.
summaries-nothing = No hay nada que resumir: ya está todo resumido, o aún no se ha dicho nada.
summaries-busy = Ahora mismo se está haciendo un resumen. Inténtalo de nuevo en un momento.
summaries-waiting = { $why } No se ha perdido nada: lo pendiente se resumirá entonces.
summaries-not-made = No se ha podido hacer el resumen.
summaries-failed = { $why } No se ha perdido nada: todos los mensajes siguen ahí, y lo intentaré de nuevo.
summaries-kind-1 = Resumen
summaries-kind-2 = Resumen de resúmenes anteriores
summaries-kind-3 = Visión general de lo más antiguo
summaries-status-newest-good = El último resumen conserva lo importante.
summaries-status-newest-fair = El último resumen conserva la mayor parte de lo importante.
summaries-status-newest-poor = El último resumen deja fuera bastante. Aun así, puedes buscar cada palabra.
