memory-usage =
    /memory mostra o que sei de você.
    /memory add TEXTO – diga algo para eu lembrar
    /memory 12 – o fato 12 com sua história
    /memory edit 12 TEXTO, /memory pin 12, /memory unpin 12, /memory delete 12, /memory undo 12
memory-add-what = Diga o que lembrar: /memory add seguido de uma frase.
memory-too-long = Um fato tem no máximo { $most } caracteres; este tem { $length }. Nada mudou.
memory-not-on = A memória ainda não está configurada, então não posso guardar nada. /summary_on liga.
memory-not-for-one-person = Nas mensagens diretas de um canal não guardo fatos nem perfil: eles seriam do canal, e assim contados a todos que escrevem para ele. O que é dito aqui eu lembro só para você.
memory-incognito-on = O modo anônimo está ligado, então não anoto nada, e isto também não foi anotado. /incognito off encerra.
memory-added = Anotado: { $text }
memory-known-already = Isso eu já sei: { $text }
memory-full = Já conheço { $most } fatos e não guardo mais. /memory os mostra; ali pode apagar alguns.
memory-holds-no-longer = Isto não vale mais, então não pode ser fixado: { $text }
memory-no-such-fact = Não há fato { $id } que possa ser mudado. /memory mostra o que sei.
memory-nothing-to-undo = Isso não foi mudado à mão, então não há o que desfazer.
memory-new-text =
    Envie o novo texto; até agora: { $text }
    /cancel deixa como está.
memory-profile-erased = Essa versão foi apagada.
memory-undone = Voltou a ser como antes; o outro texto foi apagado.
memory-undone-derived = Voltou a ser como antes; o outro texto foi apagado, e também o que veio dele: { $what }.
memory-distilling = Estou reescrevendo o perfil; aviso quando terminar.
memory-distilling-already = O perfil está sendo escrito agora.
memory-nothing-known = Ainda não sei nada de você. Aprendo fatos com o que você me conta com a memória ligada, um pouco depois de você dizer; /memory add TEXTO acrescenta um na hora.
memory-nothing-known-group = Ainda não sei nada sobre este grupo. Aprendo fatos com o que os membros me contam com a memória ligada, pouco depois de dizerem; /memory add TEXTO adiciona um na hora.
memory-off = A memória está desligada: não aprendo nada novo nem uso nada disto até você enviar /summary_on.
memory-done-pin = Fixado, levo em conta em cada resposta: { $text }
memory-done-unpin = Não está mais fixado: { $text }
memory-done-delete = Excluído: { $text } Dá para recuperar durante um dia; depois é apagado. /forget apaga na hora.
memory-done-undo = Voltou a ser como antes: { $text }
memory-heading-instruction = O que você me pediu para seguir
memory-heading-preference = O que você prefere
memory-heading-facts = Fatos
memory-count = { $heading } ({ $total })
memory-count-page = { $heading } ({ $total }, página { $page } de { $pages })
memory-worth-vital = sempre importante
memory-worth-important = importante
memory-worth-minor = menor
memory-title = O que sei de você
memory-title-group = O que sei deste grupo
memory-profile = Perfil (versão { $id }, { $day })
memory-deleted = Excluído; dá para recuperar durante um dia:
memory-press = Toque em um número para ver esse fato: editar, fixar, excluir, desfazer.
memory-button-newer = ‹ Mais novos
memory-button-older = Mais antigos ›
memory-button-profile = Perfil e versões
memory-since = desde { $day }
memory-earlier = { $number } anteriores
memory-holds = Vale desde { $from }; dito pela última vez em { $said }.
memory-held = Valeu de { $from } até { $until }; dito pela última vez em { $said }.
memory-learned = Aprendido de { shared-messages }.
memory-by-hand = Acrescentado à mão.
memory-superseded = Substituído por: { $text }
memory-is-deleted = Excluído. Dá para recuperar durante um dia; depois é apagado.
memory-button-undo-delete = Recuperar
memory-button-unpin = Soltar
memory-button-pin = Fixar
memory-button-edit = Editar
memory-button-delete = Excluir
memory-button-undo-edit = Desfazer edição
memory-button-all = ‹ Todos os fatos
memory-before = Até { $until }: { $text }
memory-before-now = Antes, de { $from } até agora: { $text }
memory-no-profile = Ainda não há perfil. Ele é escrito quando há bastante a dizer, ou agora, com o botão abaixo.
memory-profiles = { $versions ->
    [one] Perfil: { $versions } versão, vale a mais nova.
   *[other] Perfil: { $versions } versões, vale a mais nova.
 }
memory-version = Versão { $id }, { $day }
memory-button-rewrite = Reescrever agora
memory-button-erase = Apagar a versão { $id }
memory-rewritten = O perfil foi reescrito (versão { $id }):
memory-not-enough = Ainda não há o bastante para escrever um perfil, ou a resposta do modelo não serviu.
memory-not-written = O perfil não foi escrito: { $why } Nada mudou.
