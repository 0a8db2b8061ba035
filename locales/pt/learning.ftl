learning-offer = Aprender fatos com isso
learning-what-it-takes = Só aprendo fatos com isso se você pedir. { shared-messages }: uns { $tokens } tokens (pedidos: { $requests }).
learning-begun = Estou aprendendo fatos com isso. /summary_status mostra meu progresso.
learning-busy = Ainda estou aprendendo com uma importação anterior.
learning-off = Não posso aprender agora: memória desligada, modo anônimo ligado ou aprendizado desligado aqui.
learning-nothing = Não há mais nada nisso para aprender.
learning-stopped = Parei. O que aprendi fica.
