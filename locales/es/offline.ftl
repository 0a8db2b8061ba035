offline-marker = Soy el modelo sin conexión: solo puedo citar lo que me has contado.
offline-remembered = Esto es lo que recuerdo:
offline-unknown = No recuerdo nada sobre eso.
offline-nearest = Lo más parecido que recuerdo:
offline-noted = Leído.
offline-hello = ¡Hola!
