transfer-admins-export = Solo los administradores de este grupo pueden exportar su memoria.
transfer-admins-import = Solo los administradores de este grupo pueden importar a su memoria.
transfer-nothing = No hay nada que exportar: no hay nada guardado.
transfer-not-private = No he podido escribirte en privado, y no publico en el grupo lo que el grupo recuerda. Abre un chat conmigo, pulsa Iniciar y envía /export aquí otra vez.
transfer-anonymous = Escribes como el grupo, así que no sé a quién dar el archivo. Envía /export con tu propio nombre.
transfer-sent = Te lo he enviado en privado.
transfer-ask-for-file =
    Envíame ahora el archivo, en menos de 10 minutos. Leo:
    • una exportación mía (/export),
    • Telegram Desktop: un chat o todo (Exportar historial, JSON o HTML),
    • ChatGPT, Claude: el .zip de su exportación; Gemini: «Mi actividad» de Google Takeout, AI Studio,
    • WhatsApp (Exportar chat), Discord, conversaciones en JSON o Markdown.

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
transfer-caption = Para máquinas (JSON), todo lo que guardo aquí: { $what }. /import lo vuelve a leer.
transfer-caption-gz = Para máquinas (JSON comprimido), todo lo que guardo aquí: { $what }. /import lo vuelve a leer.
transfer-plan-reminders = Recordatorios que se pondrían: { $reminders }
transfer-paste = De otro asistente
transfer-paste-how = Copia mi próximo mensaje en el otro asistente y pega aquí su respuesta en menos de 10 minutos. Ves cada dato antes de que lo guarde.
transfer-paste-prompt = Enumera todo lo que sabes y recuerdas de mí: datos, preferencias, personas, proyectos, fechas. Escribe uno por línea, en la forma [fecha, si se conoce] - contenido. No omitas nada ni añadas nada más.
transfer-choose-none = No elegir ninguno
transfer-choose-all = Elegir todos
transfer-go-on = Continuar
transfer-pause = Pausar
transfer-stopping = Paro en un momento.
transfer-paused = Está en pausa; lo que entró se queda.
transfer-ended = La importación terminó; lo que entró se queda. /forget puede quitarlo.
transfer-minutes-left = Quedan unos { $minutes } min.
transfer-for-whom = ¿Para quién es la exportación? Para leer: archivos Markdown y una página con buscador. Para una máquina: JSON, que /import vuelve a leer.
transfer-for-me = Para mí
transfer-for-a-machine = Para una máquina
transfer-caption-zip = Para leer: { $what }, en Markdown, un archivo por mes. Se abre en Obsidian.
transfer-caption-html = Para leer en el navegador, sin red: { $what }, con buscador.
transfer-page-title = Mi memoria
transfer-page-search = Buscar
transfer-page-profile = Perfil
transfer-page-facts = Datos
transfer-page-summaries = Resúmenes
transfer-page-me = Yo
transfer-page-bot = Keepsake
