learning-offer = Aprender fatos com isso
learning-what-it-takes = Não aprendo fatos com isso a não ser que você peça. Se pedir, leio agora suas mensagens ({ $messages }), em cerca de { $requests ->
    [one] { $requests } pedido
   *[other] { $requests } pedidos
 } com uns { $tokens } tokens ao todo: em segundo plano e dentro da cota diária de tokens.
learning-begun = Estou aprendendo fatos com isso em segundo plano. /summary_status mostra meu progresso, /memory o que sei.
learning-busy = Ainda estou aprendendo com o que foi importado antes. Tente quando isso terminar.
learning-off = Não posso aprender agora: a memória está desligada (/summary_on), o modo anônimo está ligado (/incognito off), ou meu operador desligou o aprendizado.
learning-nothing = Não há (mais) nada nisso para aprender.
learning-stopped = Parei de aprender com isso. O que aprendi fica; o botão continua.
learning-stop = Parar
learning-continue = Continuar
