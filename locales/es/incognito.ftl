incognito-on = El modo incógnito está activado: sigo leyendo mi memoria para responder, y no escribo nada en ella. Lo que se dice ahora lo sé hasta que me reinicie o lo desactives. Mis respuestas llevan la marca «{ $mark }». /incognito off lo desactiva.
incognito-off = El modo incógnito está desactivado: a partir de ahora vuelvo a recordar. Lo dicho entretanto no está guardado en ningún sitio, y lo he descartado.
incognito-how = Envía /incognito on, /incognito off, o solo /incognito para cambiar.
incognito-memory-off = La memoria está desactivada aquí: de todos modos no se guarda ni se lee nada. /summary_on la activa.
incognito-on-already = El modo incógnito ya está activado.
incognito-off-already = El modo incógnito ya está desactivado.
