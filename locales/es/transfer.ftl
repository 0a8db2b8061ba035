transfer-nothing = No hay nada que exportar.
transfer-not-private = No pude escribirte en privado. Pulsa Iniciar en un chat conmigo y envía { $command } aquí otra vez.
transfer-anonymous = Escribes como el grupo, así que no sé a quién enviarlo. Envía /export con tu nombre.
transfer-sent = Te lo he enviado en privado.
transfer-ask-for-file =
    Envíame ahora el archivo, en menos de 10 minutos. Leo:
    • una exportación mía, Telegram Desktop (JSON o HTML), WhatsApp, Discord,
    • ChatGPT y Claude (el .zip de su exportación), Gemini («Mi actividad» de Google Takeout, AI Studio),
    • conversaciones en JSON o Markdown.

    Como mucho 20 MB, también .zip o .gz. No se guarda nada hasta que aceptes.
transfer-as-reply = Envíalo como respuesta a este mensaje.
transfer-no-file = Ya no veo el archivo. Envíalo otra vez, con /import como leyenda.
transfer-left = No se ha importado nada.
transfer-again = Lo importado se queda; envía el archivo otra vez para seguir.
transfer-incognito = En incógnito no se escribe nada. /incognito lo desactiva.
transfer-import = Importar
transfer-cancel = Cancelar
transfer-importing = Importando…
transfer-importing-so-far = Importando… { $done } de { shared-messages }.
transfer-stopped = La importación se detuvo tras { shared-messages }.
transfer-not-begun = La importación no empezó.
transfer-moved = Entretanto la memoria se trasladó o se borró.
transfer-plan-none = Esto es { $name }.
transfer-plan = Esto es { $name } con { $what }.
transfer-plan-whole = Aquí no hay nada más guardado, así que volvería todo como estaba.
transfer-plan-part = Sus mensajes vuelven ahora, lo demás con el último archivo. Envía también los demás. Faltan: { $missing }.
transfer-done-part = Hecho: { shared-messages } de vuelta. Faltan: { $missing }.
transfer-adds = Añadiría { $what }.
transfer-adds-dated = Añadiría { $what } ({ $when }).
transfer-as-history = Conservan su fecha, y no se usa ningún modelo. Los encuentro cuando hacen falta.
transfer-all-known = Ya conozco todo esto. No hay nada que importar.
transfer-empty = No contiene mensajes: no hay nada que importar.
transfer-turns-on = La memoria está desactivada; importar la activa.
transfer-known = Ya se conoce: { shared-messages }.
transfer-done-whole = Hecho, de vuelta como antes: { shared-messages } y todo lo suyo.
transfer-done = Hecho. Añadido: { $what }.
transfer-ask-me = Pregúntame por ello.
transfer-new-facts = Datos nuevos: { $facts }.
transfer-settings = tus ajustes
transfer-of-group = La memoria del grupo «{ $title }».
transfer-caption = Para máquinas (JSON), todo lo que guardo aquí: { $what }. /import lo vuelve a leer.
transfer-plan-reminders = Recordatorios que se pondrían: { $reminders }
transfer-paste = De otro asistente
transfer-paste-how = Copia mi próximo mensaje en el otro asistente y pega aquí su respuesta antes de 10 minutos. Verás cada dato antes de que lo guarde.
transfer-paste-prompt = Enumera todo lo que sabes y recuerdas de mí: datos, preferencias, personas, proyectos, fechas. Escribe uno por línea, en la forma [fecha, si se conoce] - contenido. No omitas nada ni añadas nada más.
transfer-choose-none = No elegir ninguno
transfer-choose-all = Elegir todos
transfer-go-on = Continuar
transfer-pause = Pausar
transfer-stopping = Paro en un momento.
transfer-paused = Está en pausa; lo importado se queda.
transfer-ended = Terminó; lo importado se queda. /forget puede quitarlo.
transfer-minutes-left = Quedan unos { $minutes } min.
transfer-for-whom = ¿Para quién es la exportación? Para leer: Markdown y una página con buscador. Para una máquina: JSON, que /import vuelve a leer.
transfer-for-me = Para mí
transfer-for-a-machine = Para una máquina
transfer-caption-zip = Para leer: { $what }, en Markdown, un archivo por mes. Se abre en Obsidian.
transfer-caption-html = Para leer en el navegador, también sin conexión: { $what }, con buscador.
transfer-page-title = Mi memoria
transfer-page-search = Buscar
transfer-page-profile = Perfil
transfer-page-facts = Datos
transfer-page-summaries = Resúmenes
transfer-page-me = Yo
