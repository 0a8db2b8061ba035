import-title-keepsake = uma exportação minha
import-title-telegram = uma exportação do Telegram Desktop
import-title-chatgpt = uma exportação do ChatGPT
import-title-claude = uma exportação do Claude
import-title-gemini = uma exportação do Gemini
import-title-whatsapp = uma conversa do WhatsApp
import-title-discord = uma exportação do Discord
import-title-telegram-html = uma exportação do Telegram Desktop em HTML
import-title-generic = uma lista de conversas
import-title-memories = o que outro assistente lembra de você
import-file-keepsake = minha própria exportação
import-file-telegram = result.json do Telegram Desktop
import-file-chatgpt = conversations.json do ChatGPT
import-file-claude = a exportação do Claude
import-file-gemini = MyActivity.json do Gemini
import-file-whatsapp = uma conversa do WhatsApp
import-file-discord = mensagens do Discord
import-file-telegram-html = messages.html do Telegram Desktop
import-file-generic = conversas em JSON ou Markdown
import-file-memories = uma lista de lembranças
import-kinds-differ = O arquivo compactado contém exportações de tipos diferentes. Envie uma de cada vez.
import-several-own = O arquivo compactado contém várias exportações minhas. Envie uma de cada vez.
import-too-many-messages = O arquivo contém mais de { $most } mensagens. Envie um intervalo menor. Nada foi importado.
import-too-many-facts = O arquivo contém mais de { $most } fatos. Envie um intervalo menor. Nada foi importado.
import-facts-in-all = Com esses fatos eu saberia mais de { $most } sobre este chat. Nada foi importado.
import-too-many-files = O arquivo contém mais de { $most } arquivos. Envie um intervalo menor. Nada foi importado.
import-fact-too-long = facts[{ $number }] passa dos { $most } caracteres que um fato pode ter. Nada foi importado.
import-empty = O arquivo está vazio. Nada foi importado.
import-unknown-format = Parece ser { $seems }, mas não conheço. Posso ler { $known }, também em .zip ou .gz. Nada foi importado.
import-not-utf8 = O arquivo não é texto em UTF-8: linha { $line }. Nada foi importado.
import-damaged-archive = O arquivo compactado está danificado ou bloqueado. Nada foi importado.
import-unpacked = Descompactado, o arquivo tem mais de { $megabytes } MB. Nada foi importado.
import-many-in-archive = O arquivo compactado contém mais de { $most } arquivos. Nada foi importado.
import-no-export = O arquivo compactado não contém exportação que eu conheça. Leio { $known }. Nada foi importado.
import-too-much = O arquivo contém mais do que consigo ler de uma vez. Envie um intervalo menor. Nada foi importado.
import-died = Este arquivo exige mais memória ou tempo do que posso gastar. Envie um intervalo menor. Nada foi importado.
import-not-json = O arquivo não é JSON válido: linha { $line }, coluna { $column }: { $why }. Nada foi importado.
import-too-deep = tem camadas demais, umas dentro das outras
import-out-of-bounds = um número fora de todo limite
import-quotes-expected = esperava-se um nome entre aspas
import-follows = há algo depois do fim
import-expected = esperava-se “{ $what }”
import-expected-either = esperava-se “{ $what }” ou “{ $other }”
import-not-telegrams = { $where }id não é um número, logo o arquivo não é do Telegram. Nada foi importado.
import-wrong = { $where } (linha { $line }): { $why }. Nada foi importado.
import-no-object = não é um objeto
import-no-conversation = não é uma conversa
import-no-list = não é uma lista
import-no-time = não é uma data e hora
import-circle = forma um círculo
import-missing = está faltando
import-its-no-number = seu '{ $name }' não é um número
import-its-no-date = seu '{ $name }' não é uma data
import-its-no-text = seu '{ $name }' não é um texto
import-row = { $row }: { $why }
import-its-missing = falta seu '{ $name }'
import-its-no-truth = seu '{ $name }' não é true nem false
import-its-no-whole = seu '{ $name }' não é um número inteiro dentro dos limites
import-its-no-choice = seu '{ $name }' não é nenhum dos valores permitidos
import-its-no-list = seu '{ $name }' não é uma lista do que deve conter
import-its-no-object = seu '{ $name }' não é um objeto
import-its-no-figures = seu '{ $name }' não é um objeto só com números
import-its-no-summary = seu '{ $name }' indica um resumo que não existe
import-its-twice = seu '{ $name }' aparece duas vezes
import-its-no-role = seu 'role' não é user, assistant nem system
import-text-neither = seu 'text' não é um texto nem uma lista de partes
import-piece-wordless = uma parte de seu 'text' não tem palavras
import-version = Esta exportação é da versão { $version }; eu conheço a { $known }. Atualize o programa.
import-no-owner = A exportação não diz de quem é ('owner'). Nada foi importado.
import-no-part = A exportação não diz qual de seus arquivos é este ('part'). Nada foi importado.
import-damaged = A exportação está danificada: { $why }. Nada foi importado.
import-busy = Um resumo ou outra importação está em andamento. Tente de novo daqui a pouco.
import-chat-saved = Mensagens salvas
import-chat-replies = Respostas
import-chat-nameless = um chat sem nome
import-chat-held = { $name } ({ $count })
import-holds-chats = Contém { $chats } chats: { $named }.
import-holds-more = { $named } e mais { $more }
import-holds-conversations = Contém { $count } conversas.
import-none-yours = Nenhuma das mensagens é sua (seu ID do Telegram é { $id }).
import-wordless = { $count ->
    [one] { $count } mensagem sem palavras (imagens, voz, arquivos) fica de fora.
    [many] { $count } mensagens sem palavras (imagens, voz, arquivos) ficam de fora.
   *[other] { $count } mensagens sem palavras (imagens, voz, arquivos) ficam de fora.
 }
import-service = { $count ->
    [one] { $count } mensagem de serviço (ligações, fixadas, entradas) fica de fora.
    [many] { $count } mensagens de serviço (ligações, fixadas, entradas) ficam de fora.
   *[other] { $count } mensagens de serviço (ligações, fixadas, entradas) ficam de fora.
 }
import-retained = { $days ->
    [one] Meu operador definiu que eu apague o que foi arquivado há mais de { $days } dia: { $old } destas mensagens seriam apagadas de novo.
    [many] Meu operador definiu que eu apague o que foi arquivado há mais de { $days } dias: { $old } destas mensagens seriam apagadas de novo.
   *[other] Meu operador definiu que eu apague o que foi arquivado há mais de { $days } dias: { $old } destas mensagens seriam apagadas de novo.
 }
import-already = Este já entrou; ainda falta: { $missing }.
import-signed-here = Este bot fez o arquivo, e ele não foi alterado.
import-signed-altered = Este bot fez o arquivo, mas ele foi alterado desde então.
import-signed-elsewhere = Este bot não assinou o arquivo.
import-instructions = Contém instruções que eu seguiria daqui em diante como se você as tivesse dado: { $shown }.
import-instructions-more = { $shown } e mais { $more }
import-differs = Não pode voltar como era, pois { $why }. { $lost }.
import-differs-another = é a exportação de outra memória
import-differs-holds = esta memória já contém algo
import-differs-earlier = é um de vários arquivos escritos por uma versão anterior
import-lost-numbers = As mensagens recebem números novos e contam como importadas
import-lost-summaries = { $count ->
    [one] { $count } resumo é refeito sem modelo
    [many] { $count } resumos são refeitos sem modelo
   *[other] { $count } resumos são refeitos sem modelo
 }
import-lost-profile = o perfil fica de fora
import-lost-versions = textos anteriores de mensagens editadas ficam de fora
import-send-others = Envie também os outros arquivos, por favor.
import-part = a parte { $number }
import-part-others = outras { $count }
import-part-following = o que vier depois da parte { $last }
import-seems-json = dados em JSON
import-seems-html = uma página da web
import-seems-csv = uma tabela
import-seems-text = texto simples
import-place = { $where } (linha { $line }): { $why }
import-refused = { $why }. Nada foi importado.
import-damaged-skipped = Conversas danificadas que ficam de fora: { $count }. A primeira: { $first }.
import-nobody = nenhuma delas
import-no-memories = Não encontro lembranças neste texto. Nada foi importado.
import-gemini-date = Não consigo ler as datas desta página. Escolha JSON em vez de HTML para “Minha atividade” no Google Takeout. Nada foi importado.
import-order-dmy = { $example }: primeiro o dia
import-order-mdy = { $example }: primeiro o mês
import-chats-others = Conversas menores: { $chats } ({ $count })
import-chat-here = A conversa comigo ({ $count }) fica de fora: o que foi dito aqui não é guardado duas vezes.
import-not-answered = Responda primeiro às minhas perguntas sobre este arquivo. Nada foi importado.
import-ask-chats = Quais conversas devo pegar? Toque em uma para escolher ou não.
import-ask-speaker = Qual dessas pessoas é você?
import-ask-order = Como este arquivo escreve as datas?
import-ask-facts = Também contém fatos sobre você. Todos estes seriam guardados; toque em um número para descartar um.
