incognito-on = El modo incógnito está activado: leo mi memoria para responder y no escribo nada en ella. Mis respuestas llevan «{ $mark }». /incognito off lo desactiva.
incognito-off = El modo incógnito está desactivado: vuelvo a recordar. Lo dicho entretanto no está guardado.
