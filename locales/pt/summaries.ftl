summaries-not-configured = A memória ainda não está configurada. /summary configura; /summary_on liga com o de costume (SQLite, a cada 20 mensagens).
summaries-none = Ainda não há resumos. /summary_status mostra quando vem o próximo.
summaries-never-on = A memória já está desligada: nunca foi ligada, e nada está guardado.
summaries-off-already = A memória já está desligada. O que está guardado continua guardado.
summaries-off = A memória está desligada. O que está guardado continua guardado, e suas configurações também; não leio nem acrescento nada até você enviar /summary_on.
summaries-now-off = Nada para resumir: a memória está desligada. /summary_on liga.
summaries-toast-on = A memória está ligada.
summaries-on-already = A memória já está ligada ({ $storage }, resumo a cada { shared-turns }).
summaries-on = A memória está ligada: fica em { $storage } e resumo a cada { shared-turns }. Lembro a partir de agora; o que foi dito antes não está guardado. /summary muda isso.
summaries-on-again = A memória está ligada: fica em { $storage } e resumo a cada { shared-turns }. Lembro a partir de agora; o que foi dito enquanto estava desligada não está guardado. /summary muda isso.
summaries-status-unset = Memória: desligada (ainda não configurada)
summaries-status-storage-unset = Armazenamento: SQLite (se você ligar)
summaries-status-threshold-unset = Resumo: a cada { shared-turns } (se você ligar)
summaries-status-enabled = Memória: ligada
summaries-status-disabled = Memória: desligada
summaries-status-storage = Armazenamento: { $storage }
summaries-status-threshold = Resumo: a cada { shared-turns }
summaries-status-policy = Jeito de resumir: { $policy }
summaries-status-policy-by-hand = Jeito de resumir: { $policy } (os resumos automáticos estão desligados)
summaries-status-since = Mensagens desde o último resumo: { $number }
summaries-status-total = Total de mensagens: { $number }
summaries-status-archived = Mensagens arquivadas: { $number }
summaries-status-active = Resumos ativos: { $number }
summaries-status-level = Camadas de resumos: { $number }
summaries-status-compressed = Os detalhes mais antigos foram abreviados { $times ->
    [one] { $times } vez
   *[other] { $times } vezes
 }.
summaries-status-rebuilding = Todos os resumos estão sendo refeitos: { $done } de { $parts ->
    [one] { $parts } parte
   *[other] { $parts } partes
 }.
summaries-status-learning = Aprendendo fatos do histórico importado: { $done } de { $total } das suas mensagens.
summaries-status-saved = Tokens economizados até agora: cerca de { $tokens }
summaries-status-incognito = { $mark }: leio a memória, mas não gravo nada nela (/incognito off encerra)
summaries-status-folding = Um resumo está sendo feito agora.
summaries-status-index = Índice de busca: { $done } de { shared-messages }
summaries-status-unreadable = Só encontradas por palavras: { shared-messages }
summaries-status-words-only = A busca por sentido não está funcionando agora; a busca por palavras está.
summaries-status-failure = Última falha: { $date }: { $error } (nada se perdeu)
summaries-status-one-of = Estes números são da conversa aberta; ao todo há { $number } (/chats).
summaries-status-json-large = Com mais de { $most } mensagens, recomenda-se SQLite: /summary move tudo.
summaries-utc = { $date } UTC
summaries-one = { $kind } · { $dates } · { shared-messages }
summaries-folded = Resumi { shared-messages }: { $summaries ->
    [one] { $summaries } resumo novo
   *[other] { $summaries } resumos novos
 }. /summary_show mostra.
summaries-folded-older = Resumi resumos anteriores: { $summaries ->
    [one] { $summaries } resumo novo
   *[other] { $summaries } resumos novos
 }. /summary_show mostra.
summaries-nothing = Nada para resumir: tudo já está resumido, ou nada foi dito ainda.
summaries-busy = Um resumo está sendo feito agora. Tente de novo daqui a pouco.
summaries-waiting = { $why } Nada se perdeu: o que falta será resumido então.
summaries-not-made = Não foi possível fazer o resumo.
summaries-failed = { $why } Nada se perdeu: todas as mensagens continuam aqui, e vou tentar de novo.
summaries-kind-1 = Resumo
summaries-kind-2 = Resumo de resumos anteriores
summaries-kind-3 = Visão geral do mais antigo
summaries-status-newest-good = O último resumo guarda o que importa.
summaries-status-newest-fair = O último resumo guarda a maior parte do que importa.
summaries-status-newest-poor = O último resumo deixa bastante de fora. Ainda assim, dá para buscar cada palavra.
