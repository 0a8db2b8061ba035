transfer-admins-export = Solo los administradores de este grupo pueden exportar su memoria.
transfer-admins-import = Solo los administradores de este grupo pueden importar a su memoria.
transfer-nothing = No hay nada que exportar: no hay nada guardado.
transfer-not-private = No he podido escribirte en privado, y no publico en el grupo lo que el grupo recuerda. Abre un chat conmigo, pulsa Iniciar y envía /export aquí otra vez.
transfer-anonymous = Escribes como el grupo, así que no sé a quién dar el archivo. Envía /export con tu propio nombre.
transfer-sent = Te lo he enviado en privado.
transfer-ask-for-file =
    Envíame ahora el archivo, en menos de 10 minutos:
    • una exportación mía (/export),
    • result.json de Telegram Desktop (menú del chat, Exportar historial, formato JSON),
    • conversations.json de ChatGPT (Settings, Data controls, Export; vale el .zip).
    Como mucho 20 MB; .zip y .gz valen. Primero digo qué añadiría; no se guarda nada hasta que aceptes.
transfer-as-reply = Envíalo como respuesta a este mensaje.
transfer-no-file = Ya no veo el archivo. Envíalo otra vez, con /import como leyenda.
transfer-left = No se ha importado nada.
transfer-not-awaited = Ya no espero ningún archivo. No se ha importado nada.
transfer-again = Lo importado se queda; envía el archivo otra vez para seguir.
transfer-incognito = Mientras estás en incógnito no se escribe nada. /incognito lo desactiva; después envía el archivo otra vez.
transfer-import = Importar
transfer-cancel = Cancelar
transfer-importing = Importando…
transfer-importing-so-far = Importando… { $done } de { shared-messages }.
transfer-stopped = La importación se detuvo tras { shared-messages }.
transfer-not-begun = La importación no empezó.
transfer-moved = Entretanto la memoria se trasladó o se borró.
transfer-plan = Esto es { $name } con { shared-messages }.
transfer-plan-facts = Esto es { $name } con { shared-messages } y { shared-facts }.
transfer-plan-whole = Aquí no hay nada más guardado, así que volvería tal como estaba: mensajes, resúmenes, datos, ajustes.
transfer-plan-part = Es uno de varios archivos y volvería tal como estaba: ahora sus mensajes, y los resúmenes, datos y ajustes con el último archivo. Envía también los demás, en cualquier orden. Faltan: { $missing }.
transfer-done-part = Hecho: { shared-messages } vuelven a estar como estaban. Faltan: { $missing }.
transfer-adds = Añadiría { shared-messages }.
transfer-adds-day = Añadiría { shared-messages } del { $day }.
transfer-adds-days = Añadiría { shared-messages } del { $first } al { $last }.
transfer-adds-facts = Añadiría { shared-facts }.
transfer-as-history = Se archivarían como historial, cada uno en su fecha: se encuentran cuando hacen falta y se resumen extrayendo frases, sin modelo (/summary_rebuild puede mejorarlo después).
transfer-all-known = Ya se conoce todo. No hay nada que importar.
transfer-empty = No contiene mensajes: no hay nada que importar.
transfer-turns-on = La memoria está desactivada; importar la activa.
transfer-known = { $messages ->
    [one] { shared-messages } ya se conoce y se queda como está.
   *[other] { shared-messages } ya se conocen y se quedan como están.
 }
transfer-done-whole = Hecho: { shared-messages } vuelven a estar como estaban, con todo lo suyo.
transfer-done = Hecho. Añadido: { $what }.
transfer-ask-me = Pregúntame por ello.
transfer-its-facts = { $facts ->
    [one] Su dato también se importaría.
   *[other] Sus datos también se importarían.
 }
transfer-its-facts-known = { $facts ->
    [one] Su dato ya se conoce.
   *[other] Sus datos ya se conocen.
 }
transfer-new-facts = { $facts ->
    [one] También se importaría { shared-facts } que aún no se conoce.
   *[other] También se importarían { shared-facts } que aún no se conocen.
 }
transfer-settings = tus ajustes
transfer-of-group = La memoria del grupo «{ $title }».
transfer-caption = Todo lo que guardo aquí: { $what }. Es texto que puedes leer; /import lo vuelve a leer.
transfer-caption-gz = Todo lo que guardo aquí: { $what }. Es texto comprimido; /import lo vuelve a leer.
transfer-plan-reminders = Recordatorios que se pondrían: { $reminders }
