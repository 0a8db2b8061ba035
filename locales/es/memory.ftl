memory-usage =
    /memory muestra lo que sé de ti.
    /memory add TEXTO – dime algo que recordar
    /memory 12 – el dato 12 con su historia
    /memory edit 12 TEXTO, /memory pin 12, /memory unpin 12, /memory delete 12, /memory undo 12
memory-add-what = Dime qué recordar: /memory add seguido de una frase.
memory-too-long = Un dato tiene como mucho { $most } caracteres; este tiene { $length }. No ha cambiado nada.
memory-not-on = La memoria aún no está configurada, así que no puedo guardar nada. /summary_on la activa.
memory-not-for-one-person = En los mensajes directos de un canal no guardo datos ni perfil: serían del canal, y se contarían a cualquiera que le escriba. Lo que se dice aquí lo recuerdo solo para ti.
memory-incognito-on = El modo incógnito está activado, así que no apunto nada, y esto tampoco. /incognito off lo desactiva.
memory-added = Apuntado: { $text }
memory-known-already = Eso ya lo sé: { $text }
memory-full = Ya conozco { $most } datos y no guardo más. /memory los muestra; allí puedes borrar algunos.
memory-holds-no-longer = Esto ya no es válido, así que no se puede fijar: { $text }
memory-no-such-fact = No hay ningún dato { $id } que se pueda cambiar. /memory muestra lo que sé.
memory-nothing-to-undo = Eso no se cambió a mano, así que no hay nada que deshacer.
memory-new-text =
    Envía el nuevo texto; hasta ahora: { $text }
    /cancel lo deja como está.
memory-profile-erased = Esa versión está borrada.
memory-undone = Vuelve a estar como antes; el otro texto se ha borrado.
memory-undone-derived = Vuelve a estar como antes; el otro texto se ha borrado, y también lo derivado de él: { $what }.
memory-distilling = Estoy reescribiendo el perfil; te avisaré cuando esté.
memory-distilling-already = El perfil se está escribiendo ahora mismo.
memory-nothing-known = Aún no sé nada de ti. Aprendo datos de lo que me cuentas con la memoria activada, un poco después de que lo digas; /memory add TEXTO añade uno al momento.
memory-nothing-known-group = Todavía no sé nada de este grupo. Aprendo datos de lo que sus miembros me cuentan con la memoria activada, poco después de que lo digan; /memory add TEXTO añade uno al instante.
memory-off = La memoria está desactivada: no aprendo nada nuevo ni uso nada de esto hasta que envíes /summary_on.
memory-done-pin = Fijado, lo tengo en cuenta en cada respuesta: { $text }
memory-done-unpin = Ya no está fijado: { $text }
memory-done-delete = Eliminado: { $text } Se puede recuperar durante un día; después se borra. /forget borra al momento.
memory-done-undo = Vuelve a estar como antes: { $text }
memory-heading-instruction = Lo que me pediste tener siempre en cuenta
memory-heading-preference = Lo que prefieres
memory-heading-facts = Datos
memory-count = { $heading } ({ $total })
memory-count-page = { $heading } ({ $total }, página { $page } de { $pages })
memory-worth-vital = siempre importante
memory-worth-important = importante
memory-worth-minor = menor
memory-title = Lo que sé de ti
memory-title-group = Lo que sé de este grupo
memory-profile = Perfil (versión { $id }, { $day })
memory-deleted = Eliminado; se puede recuperar durante un día:
memory-press = Pulsa un número para ver ese dato: editar, fijar, eliminar, deshacer.
memory-button-newer = ‹ Más nuevos
memory-button-older = Más antiguos ›
memory-button-profile = Perfil y versiones
memory-since = desde { $day }
memory-earlier = { $number } anteriores
memory-holds = Válido desde { $from }; dicho por última vez { $said }.
memory-held = Válido desde { $from } hasta { $until }; dicho por última vez { $said }.
memory-learned = Aprendido de { shared-messages }.
memory-by-hand = Añadido a mano.
memory-superseded = Sustituido por: { $text }
memory-is-deleted = Eliminado. Se puede recuperar durante un día; después se borra.
memory-button-undo-delete = Recuperar
memory-button-unpin = Soltar
memory-button-pin = Fijar
memory-button-edit = Editar
memory-button-delete = Eliminar
memory-button-undo-edit = Deshacer cambio
memory-button-all = ‹ Todos los datos
memory-before = Hasta el { $until }: { $text }
memory-before-now = Antes, de { $from } hasta ahora: { $text }
memory-no-profile = Aún no hay perfil. Se escribe cuando hay bastante que decir, o ahora, con el botón de abajo.
memory-profiles = { $versions ->
    [one] Perfil: { $versions } versión, se usa la más nueva.
   *[other] Perfil: { $versions } versiones, se usa la más nueva.
 }
memory-version = Versión { $id }, { $day }
memory-button-rewrite = Reescribir ahora
memory-button-erase = Borrar la versión { $id }
memory-rewritten = El perfil está reescrito (versión { $id }):
memory-not-enough = Aún no hay bastante para escribir un perfil, o la respuesta del modelo no servía.
memory-not-written = El perfil no se ha escrito: { $why } No ha cambiado nada.
