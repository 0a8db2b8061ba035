search-how = /search PALABRAS encuentra aquí mensajes anteriores, resumidos o no, los mejores primero: por sus palabras, y por su sentido si esa búsqueda está activada. Lo que pongas entre comillas se busca tal cual: /search "aceite de nuez"
search-not-configured = No hay nada que buscar: aquí nunca se activó la memoria. /summary la configura.
search-too-old = Esa lista es demasiado antigua. Busca otra vez.
search-no-more = No hay nada más.
search-nothing = No se ha encontrado nada en esta conversación. Prueba con otras palabras, o con menos.
search-so-far = { $shown } de { $total }
search-more = Más
