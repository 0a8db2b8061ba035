transfer-admins-export = Só os administradores deste grupo podem exportar a memória dele.
transfer-admins-import = Só os administradores deste grupo podem importar para a memória dele.
transfer-nothing = Não há nada para exportar: nada está guardado.
transfer-not-private = Não consegui escrever para você em privado, e não publico no grupo o que o grupo lembra. Abra uma conversa comigo, toque em Iniciar e envie /export aqui de novo.
transfer-anonymous = Você escreve como o grupo, então não sei quem deve receber o arquivo. Envie /export com seu próprio nome.
transfer-sent = Enviei para você em privado.
transfer-ask-for-file =
    Agora me envie o arquivo, em até 10 minutos. Eu leio:
    • uma exportação minha (/export),
    • Telegram Desktop: uma conversa ou tudo (Exportar histórico, JSON ou HTML),
    • ChatGPT, Claude: o .zip da exportação de dados; Gemini: “Minha atividade” do Google Takeout, AI Studio,
    • WhatsApp (Exportar conversa), Discord, conversas em JSON ou Markdown.

    No máximo 20 MB; .zip e .gz servem. Primeiro digo o que seria acrescentado; nada é guardado antes de você concordar.
transfer-as-reply = Envie-o como resposta a esta mensagem.
transfer-no-file = Não vejo mais o arquivo. Envie-o de novo, com /import como legenda.
transfer-left = Nada foi importado.
transfer-not-awaited = Não espero mais um arquivo. Nada foi importado.
transfer-again = O que foi importado fica; envie o arquivo de novo para continuar.
transfer-incognito = Nada é escrito enquanto você está no modo anônimo. /incognito encerra isso; depois envie o arquivo de novo.
transfer-import = Importar
transfer-cancel = Cancelar
transfer-importing = Importando…
transfer-importing-so-far = Importando… { $done } de { shared-messages }.
transfer-stopped = A importação parou depois de { shared-messages }.
transfer-not-begun = A importação não começou.
transfer-moved = Nesse meio-tempo a memória foi movida ou apagada.
transfer-plan = Isto é { $name } com { shared-messages }.
transfer-plan-facts = Isto é { $name } com { shared-messages } e { shared-facts }.
transfer-plan-whole = Nada mais está guardado aqui, então voltaria como estava: mensagens, resumos, fatos, configurações.
transfer-plan-part = É um de vários arquivos, e voltaria como estava: as mensagens agora, e resumos, fatos e configurações com o último arquivo. Envie também os outros, em qualquer ordem. Ainda faltam: { $missing }.
transfer-done-part = Pronto: { shared-messages } voltaram como estavam. Ainda faltam: { $missing }.
transfer-adds = Acrescentaria { shared-messages }.
transfer-adds-day = Acrescentaria { shared-messages } de { $day }.
transfer-adds-days = Acrescentaria { shared-messages } de { $first } a { $last }.
transfer-adds-facts = Acrescentaria { shared-facts }.
transfer-as-history = Elas seriam arquivadas como histórico, cada uma na sua data: encontradas quando for preciso, e resumidas com trechos delas, sem modelo (/summary_rebuild pode melhorar isso depois).
transfer-all-known = Eu já conheço tudo isso. Não há nada para importar.
transfer-empty = Não contém mensagens: não há nada para importar.
transfer-turns-on = A memória está desligada; importar a liga.
transfer-known = { $messages ->
    [one] { shared-messages } já é conhecida e fica como está.
   *[other] { shared-messages } já são conhecidas e ficam como estão.
 }
transfer-done-whole = Pronto: { shared-messages } voltaram como estavam, e tudo o que faz parte delas.
transfer-done = Pronto, acrescentado: { $what }.
transfer-ask-me = Pergunte sobre isso.
transfer-its-facts = { $facts ->
    [one] O fato dele também seria importado.
   *[other] Os fatos dele também seriam importados.
 }
transfer-its-facts-known = { $facts ->
    [one] O fato dele já é conhecido.
   *[other] Os fatos dele já são conhecidos.
 }
transfer-new-facts = { $facts ->
    [one] { shared-facts } ainda não conhecido também seria importado.
   *[other] { shared-facts } ainda não conhecidos também seriam importados.
 }
transfer-settings = suas configurações
transfer-of-group = A memória do grupo “{ $title }”.
transfer-caption = Para máquinas (JSON), tudo o que guardo aqui: { $what }. /import o lê de novo.
transfer-caption-gz = Para máquinas (JSON comprimido), tudo o que guardo aqui: { $what }. /import o lê de novo.
transfer-plan-reminders = Lembretes que seriam criados: { $reminders }
transfer-paste = De outro assistente
transfer-paste-how = Copie minha próxima mensagem no outro assistente e cole a resposta aqui em até 10 minutos. Você vê cada fato antes de eu guardar.
transfer-paste-prompt = Liste tudo o que você sabe e lembra sobre mim: fatos, preferências, pessoas, projetos, datas. Escreva um por linha, na forma [data, se conhecida] - conteúdo. Não omita nada e não acrescente mais nada.
transfer-choose-none = Não escolher nenhum
transfer-choose-all = Escolher todos
transfer-go-on = Continuar
transfer-pause = Pausar
transfer-stopping = Paro em um instante.
transfer-paused = Está em pausa; o que entrou fica.
transfer-ended = A importação terminou; o que entrou fica. /forget pode removê-lo.
transfer-minutes-left = Faltam uns { $minutes } min.
transfer-for-whom = Para quem é a exportação? Para ler: arquivos Markdown e uma página com busca. Para uma máquina: JSON, que /import lê de novo.
transfer-for-me = Para mim
transfer-for-a-machine = Para uma máquina
transfer-caption-zip = Para ler: { $what }, em Markdown, um arquivo por mês. Abre no Obsidian.
transfer-caption-html = Para ler no navegador, sem rede: { $what }, com busca.
transfer-page-title = Minha memória
transfer-page-search = Buscar
transfer-page-profile = Perfil
transfer-page-facts = Fatos
transfer-page-summaries = Resumos
transfer-page-me = Eu
transfer-page-bot = Keepsake
