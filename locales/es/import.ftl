import-title-keepsake = una exportación mía
import-title-telegram = una exportación de Telegram Desktop
import-title-chatgpt = una exportación de ChatGPT
import-title-claude = una exportación de Claude
import-title-gemini = una exportación de Gemini
import-title-whatsapp = un chat de WhatsApp
import-title-discord = una exportación de Discord
import-title-telegram-html = una exportación de Telegram Desktop en HTML
import-title-generic = una lista de conversaciones
import-title-memories = lo que otro asistente recuerda de ti
import-file-keepsake = mi propia exportación
import-file-telegram = result.json de Telegram Desktop
import-file-chatgpt = conversations.json de ChatGPT
import-file-claude = la exportación de Claude
import-file-gemini = MyActivity.json de Gemini
import-file-whatsapp = un chat de WhatsApp
import-file-discord = mensajes de Discord
import-file-telegram-html = messages.html de Telegram Desktop
import-file-generic = conversaciones en JSON o Markdown
import-file-memories = una lista de recuerdos
import-kinds-differ = El archivo comprimido contiene exportaciones de distintos tipos. Envíalas de una en una.
import-several-own = El archivo comprimido contiene varias exportaciones mías. Envíalas de una en una.
import-too-many-messages = El archivo contiene más de { $most } mensajes. Envía un intervalo más corto. No se ha importado nada.
import-too-many-facts = El archivo contiene más de { $most } datos. Envía un intervalo más corto. No se ha importado nada.
import-facts-in-all = Con estos datos sabría más de { $most } sobre este chat. No se ha importado nada.
import-too-many-files = El archivo contiene más de { $most } archivos. Envía un intervalo más corto. No se ha importado nada.
import-fact-too-long = facts[{ $number }] supera los { $most } caracteres que puede tener un dato. No se ha importado nada.
import-empty = El archivo está vacío. No se ha importado nada.
import-unknown-format = Parece { $seems }, pero no lo conozco. Puedo leer { $known }, también en .zip o .gz. No se importó nada.
import-not-utf8 = El archivo no es texto en UTF-8: línea { $line }. No se ha importado nada.
import-damaged-archive = El archivo comprimido está dañado o bloqueado. No se ha importado nada.
import-unpacked = Descomprimido, el archivo ocupa más de { $megabytes } MB. No se ha importado nada.
import-many-in-archive = El archivo comprimido contiene más de { $most } archivos. No se ha importado nada.
import-no-export = El archivo comprimido no contiene ninguna exportación que conozca. Puedo leer { $known }. No se ha importado nada.
import-too-much = El archivo contiene más de lo que puedo leer de una vez. Envía un intervalo más corto. No se ha importado nada.
import-died = Este archivo requiere más memoria o tiempo de lo que puedo dedicarle. Envía un intervalo más corto. No se ha importado nada.
import-not-json = El archivo no es JSON válido: línea { $line }, columna { $column }: { $why }. No se ha importado nada.
import-too-deep = está anidado a demasiada profundidad
import-out-of-bounds = un número se sale de todo límite
import-quotes-expected = se esperaba un nombre entre comillas
import-follows = hay algo después del final
import-expected = se esperaba «{ $what }»
import-expected-either = se esperaba «{ $what }» o «{ $other }»
import-not-telegrams = { $where }id no es un número, así que el archivo no es de Telegram. No se ha importado nada.
import-wrong = { $where } (línea { $line }): { $why }. No se ha importado nada.
import-no-object = no es un objeto
import-no-conversation = no es una conversación
import-no-list = no es una lista
import-no-time = no es una fecha y hora
import-circle = forma un círculo
import-missing = falta
import-its-no-number = su '{ $name }' no es un número
import-its-no-date = su '{ $name }' no es una fecha
import-its-no-text = su '{ $name }' no es un texto
import-row = { $row }: { $why }
import-its-missing = falta su '{ $name }'
import-its-no-truth = su '{ $name }' no es ni true ni false
import-its-no-whole = su '{ $name }' no es un número entero dentro de sus límites
import-its-no-choice = su '{ $name }' no es ninguno de los valores permitidos
import-its-no-list = su '{ $name }' no es una lista de lo que debe contener
import-its-no-object = su '{ $name }' no es un objeto
import-its-no-figures = su '{ $name }' no es un objeto que solo contenga números
import-its-no-summary = su '{ $name }' nombra un resumen que no está
import-its-twice = su '{ $name }' aparece dos veces
import-its-no-role = su 'role' no es user, assistant ni system
import-text-neither = su 'text' no es un texto ni una lista de partes
import-piece-wordless = una parte de su 'text' no tiene palabras
import-version = Esta exportación es de la versión { $version }; yo conozco la { $known }. Actualiza el programa.
import-no-owner = La exportación no dice de quién es ('owner'). No se ha importado nada.
import-no-part = La exportación no dice cuál de sus archivos es este ('part'). No se ha importado nada.
import-damaged = La exportación está dañada: { $why }. No se ha importado nada.
import-busy = Ahora mismo se está haciendo un resumen u otra importación. Inténtalo de nuevo en un momento.
import-chat-saved = Mensajes guardados
import-chat-replies = Respuestas
import-chat-nameless = un chat sin nombre
import-chat-held = { $name } ({ $count })
import-holds-chats = Contiene { $chats } chats: { $named }.
import-holds-more = { $named } y { $more } más
import-holds-conversations = Contiene { $count } conversaciones.
import-none-yours = Ningún mensaje es tuyo (tu ID de Telegram es { $id }).
import-wordless = { $count ->
    [one] Se omite { $count } mensaje sin palabras (imágenes, voz, archivos).
    [many] Se omiten { $count } mensajes sin palabras (imágenes, voz, archivos).
   *[other] Se omiten { $count } mensajes sin palabras (imágenes, voz, archivos).
 }
import-service = { $count ->
    [one] Se omite { $count } mensaje de servicio (llamadas, fijados, altas).
    [many] Se omiten { $count } mensajes de servicio (llamadas, fijados, altas).
   *[other] Se omiten { $count } mensajes de servicio (llamadas, fijados, altas).
 }
import-retained = { $days ->
    [one] Mi operador ha dispuesto que borre lo archivado hace más de { $days } día: { $old } de estos mensajes se borrarían otra vez.
    [many] Mi operador ha dispuesto que borre lo archivado hace más de { $days } días: { $old } de estos mensajes se borrarían otra vez.
   *[other] Mi operador ha dispuesto que borre lo archivado hace más de { $days } días: { $old } de estos mensajes se borrarían otra vez.
 }
import-already = Este ya está; aún falta: { $missing }.
import-signed-here = Este bot hizo el archivo, y no ha cambiado.
import-signed-altered = Este bot hizo el archivo, pero se ha cambiado desde entonces.
import-signed-elsewhere = Este bot no firmó el archivo.
import-instructions = Contiene instrucciones que seguiría desde ahora como si las hubieras dado tú: { $shown }.
import-instructions-more = { $shown } y { $more } más
import-differs = No puede volver tal como era, porque { $why }. { $lost }.
import-differs-another = es la exportación de otra memoria
import-differs-holds = esta memoria ya contiene algo
import-differs-earlier = es uno de varios archivos que escribió una versión anterior
import-lost-numbers = Sus mensajes reciben números nuevos y cuentan como importados
import-lost-summaries = { $count ->
    [one] su { $count } resumen se hace de nuevo sin modelo
    [many] sus { $count } resúmenes se hacen de nuevo sin modelo
   *[other] sus { $count } resúmenes se hacen de nuevo sin modelo
 }
import-lost-profile = su perfil se omite
import-lost-versions = los textos anteriores de mensajes editados se omiten
import-send-others = Envía también sus otros archivos, por favor.
import-part = la parte { $number }
import-part-others = otras { $count }
import-part-following = lo que siga a la parte { $last }
import-seems-json = datos en JSON
import-seems-html = una página web
import-seems-csv = una tabla
import-seems-text = texto sin formato
import-place = { $where } (línea { $line }): { $why }
import-refused = { $why }. No se importó nada.
import-damaged-skipped = Conversaciones dañadas que se omiten: { $count }. La primera: { $first }.
import-nobody = ninguna de ellas
import-no-memories = No encuentro recuerdos en este texto. No se importó nada.
import-gemini-date = No puedo leer las fechas de esta página. Elige JSON en lugar de HTML para «Mi actividad» en Google Takeout. No se importó nada.
import-order-dmy = { $example }: primero el día
import-order-mdy = { $example }: primero el mes
import-chats-others = Chats más pequeños: { $chats } ({ $count })
import-chat-here = El chat conmigo ({ $count }) se omite: lo dicho aquí no se guarda dos veces.
import-not-answered = Responde primero a mis preguntas sobre este archivo. No se importó nada.
import-ask-chats = ¿Qué chats tomo? Pulsa uno para elegirlo o no.
import-ask-speaker = ¿Cuál de ellos eres tú?
import-ask-order = ¿Cómo escribe las fechas este archivo?
import-ask-facts = También contiene datos sobre ti. Se guardarían todos estos; pulsa un número para descartar uno.
