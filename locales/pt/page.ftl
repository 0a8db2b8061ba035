page-title = Keepsake · área de testes
page-banner = quem responde é { $model } · só neste computador
page-offline-model = o modelo off-line (ele só cita o que lembra)
page-chats = Conversas
page-chat = Conversa
page-memory = Memória
page-views = Telas
page-conversation = Conversa
page-messages = Mensagens
page-topics = Tópicos
page-topic-general = Geral
page-back = Voltar às conversas
page-start-over = Recomeçar
page-show-memory = Mostrar a memória
page-jump = Ir para a mensagem mais nova
page-drop = Solte para enviar
page-ok = OK
page-cancel = Cancelar
page-add = Adicionar
page-first-name = Nome
page-app-language = Idioma do app
page-add-person = Adicionar uma pessoa
page-start-over-with = Recomeçar com { $title }?
page-start-over-hint = A conversa fica vazia, e tudo o que o bot lembra dela é apagado.
page-fresh-start = Tudo do zero.
page-in-private = Em particular com o bot, como
page-groups = Grupos
page-no-messages = Nenhuma mensagem ainda
page-you-said = Você: { $words }
page-unread = { $number } não lidas
page-theme-auto = Tema: automático
page-theme-light = Tema: claro
page-theme-dark = Tema: escuro
page-language = Idioma desta página
page-language-auto = Automático: { $language }
page-today = Hoje
page-yesterday = Ontem
page-unknown = Desconhecido
page-new-messages = Mensagens novas
page-welcome-back = Que bom ter você de volta. O que está acima vem da memória.
page-waiting = esperando o servidor…
page-typing = digitando…
page-typing-name = { $name } está digitando…
page-writing-as = bot · você escreve como { $name }
page-members = { $number ->
    [one] { $number } membro
   *[other] { $number } membros
 }
page-members-and-bot = { $number ->
    [one] { $number } membro e o bot
   *[other] { $number } membros e o bot
 }
page-welcome-private = Ele se lembra do que você conta, assim que você deixa. Toque em “Iniciar”; o que você disser vai para o modelo indicado no alto.
page-welcome-group = Mencione { $bot } ou responda a uma mensagem dele, e ele responde.
page-writing = O bot está escrevendo
page-edited = editada
page-photo-of = Foto: { $caption }
page-kind-photo = Foto
page-kind-voice = Mensagem de voz
page-kind-sticker = Figurinha
page-kind-animation = Animação
page-kind-video = Vídeo
page-kind-video_note = Mensagem de vídeo
page-kind-audio = Áudio
page-kind-file = Arquivo
page-download = Baixar { $name }
page-reply-key = Responder (R)
page-copy-key = Copiar o texto (C)
page-edit-key = Editar (E)
page-copied = Copiado
page-copy = copiar
page-copy-code = Copiar o código
page-code = Código
page-code-in = Código em { $language }
page-hidden-text = Texto oculto, toque para ver
page-show-all = Mostrar tudo
page-show-less = Mostrar menos
page-joined = Agora no grupo: { $names }
page-left = { $name } saiu do grupo
page-topic-created = Tópico criado: { $name }
page-group-renamed = O grupo agora se chama { $name }
page-start = Iniciar
page-message = Mensagem
page-message-group = Mensagem, ou { $bot }
page-suggestions = Sugestões
page-tries = Para experimentar
page-try-1 = Sou alérgico a nozes.
page-try-2 = Minha irmã Nora mora em Lisboa.
page-try-3 = A que sou alérgico?
page-try-4 = O que você sabe sobre mim?
page-commands = Comandos
page-attach = Anexar um arquivo
page-send = Enviar
page-send-key = Enviar (Enter)
page-as = como
page-speak-as = Falar como
page-edit-message = Editar a mensagem
page-reply-to = Resposta a { $name }
page-cancel-key = Cancelar (Esc)
page-not-sent = Não enviada: o servidor não responde.
page-no-answer = O servidor não responde.
page-answered = O servidor respondeu { $status }.
page-caption-long = Uma legenda tem no máximo { $most } caracteres.
page-edit-long = Uma mensagem editada tem de 1 a { $most } caracteres.
page-name-long = Um nome tem de 1 a { $most } caracteres.
page-people-many = Já há { $most } pessoas.
page-memory-unreadable = A memória não pode ser lida agora.
page-remembered-about = O que o bot lembra sobre { $name }
page-remembered-in = O que o bot lembra em { $title }
page-on = ligada
page-off = desligada
page-active = ativas: { $number }
page-archived = arquivadas: { $number }
page-memory-off = A memória fica desligada até alguém ligar: envie /summary na conversa.
page-until-summary = Até o próximo resumo
page-turns-of = { $done } de { $total ->
    [one] { $total } turno
   *[other] { $total } turnos
 }
page-read-of = { $done } de { $total } das suas mensagens
page-summarising = As mensagens mais antigas estão sendo resumidas.
page-summary-failed = Não foi possível fazer o último resumo: { $error }
page-summaries = Resumos
page-summaries-none = Nenhum ainda. Quando houver mensagens suficientes, elas viram um primeiro resumo; nada é apagado.
page-summaries-count = { $active } ativos, { $total } ao todo
page-summaries-level = Resumos de nível { $level }
page-summary-active = Resumo { $id } de nível { $level }, { $messages }, ativo
page-summary-passive = Resumo { $id } de nível { $level }, { $messages }, parte de outro posterior
page-standing-active = No prompt enquanto está ativo.
page-standing-higher = Parte de um resumo superior; guardado, não está mais no prompt.
page-standing-replaced = Uma versão mais nova o substituiu; guardado, não está mais no prompt.
page-version = Versão { $number }
page-version-of = Versão { $number } ({ $policy }): { $chain }
page-quality = Qualidade { $score }
page-part-retention = nomes e números mantidos { $score }
page-part-novelty = nada inventado { $score }
page-part-coverage = turnos cobertos { $score }
page-part-compression = encurtado { $score }
page-part-repetition = sem repetições { $score }
page-compressed = { $number ->
    [one] resumido uma vez
   *[other] resumido { $number } vezes
 }
page-reason-threshold = havia turnos suficientes
page-reason-now = a pedido
page-reason-idle = durante uma pausa
page-reason-pressure = o prompt estava quase cheio
page-reason-cut = alguns turnos não cabiam mais
page-reason-upwards = havia resumos suficientes
page-reason-rebuild = refeito
page-reason-import = importado
page-tokens-made = { $read } → { $written } tokens
page-messages-count = { $number ->
    [one] { $number } mensagem
   *[other] { $number } mensagens
 }
page-messages-newest = as { $shown } mais novas de { $total }
page-messages-none = Nada na memória ainda.
page-messages-off = Enquanto a memória está desligada, nada é guardado.
page-messages-archived = { $messages } sob o resumo { $id }
page-messages-active = { $messages }, palavra por palavra no prompt
page-message-active = Palavra por palavra no prompt enquanto couber.
page-message-archived = Sob o resumo { $id }: ainda pode ser encontrada, palavra por palavra.
page-legend-person = pessoa
page-legend-bot = bot
page-legend-colour = cada cor é um resumo
page-profile = Perfil
page-versions = { $number ->
    [one] { $number } versão
   *[other] { $number } versões
 }
page-versions-earlier = { $number ->
    [one] { $number } versão anterior
   *[other] { $number } versões anteriores
 }
page-by-model = por { $model }
page-facts = Fatos
page-facts-count = { $holding } atuais, { $gone } antigos ou removidos
page-fact-since = desde { $day }
page-fact-from = de { $sources }
page-fact-by-hand = adicionado à mão
page-fact-earlier = texto anterior
page-fact-pinned = fixado
page-fact-deleted = apagado
page-fact-before = antes: { $number }
page-kind-personal = pessoal
page-kind-preference = preferência
page-kind-knowledge = conhecimento
page-kind-event = acontecimento
page-kind-instruction = instrução
page-learning-running = Aprendendo com o histórico importado
page-learning-partly = Aprendido com parte do histórico importado
page-learning-done = Aprendido com o histórico importado
page-prompt = Último prompt
page-prompt-none = Aparece com a próxima resposta.
page-tokens-of = { $tokens } de { $most } tokens
page-cut = Não coube
page-cut-turns = turnos anteriores
page-cut-archived = mensagens arquivadas
page-cut-document = um documento
page-cut-summary = um resumo
page-found = Trazido de volta
page-found-count = { $number ->
    [one] { $number } mensagem anterior
   *[other] { $number } mensagens anteriores
 }
