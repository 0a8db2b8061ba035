learning-offer = Aprender datos de ello
learning-what-it-takes = No aprendo datos de ello si no me lo pides. Si lo haces, leo ahora tus mensajes ({ $messages }), en aproximadamente { $requests ->
    [one] { $requests } petición
   *[other] { $requests } peticiones
 } y unos { $tokens } tokens en total: en segundo plano y dentro del cupo diario de tokens.
learning-begun = Estoy aprendiendo datos de ello en segundo plano. /summary_status muestra mi avance, /memory lo que sé.
learning-busy = Aún estoy aprendiendo de lo importado antes. Inténtalo cuando acabe.
learning-off = Ahora no puedo aprender: la memoria está desactivada (/summary_on), el incógnito está activado (/incognito off) o mi operador ha desactivado el aprendizaje.
learning-nothing = No hay nada (más) de lo que aprender.
learning-stopped = He dejado de aprender de ello. Lo aprendido se queda; el botón continúa.
learning-stop = Detener
learning-continue = Continuar
