search-how = /search PALABRAS encuentra mensajes anteriores por palabras y significado. Entre comillas, tal cual: /search "aceite de nuez"
search-not-configured = No hay nada que buscar: aquí nunca se activó la memoria. /summary la configura.
search-no-more = No hay nada más.
search-nothing = No se encontró nada. Prueba con otras palabras o con menos.
search-so-far = { $shown } de { $total }
search-more = Más
search-in-all = En todas las conversaciones
search-close = Ningún mensaje tiene esas palabras. Lo más cercano en significado:
