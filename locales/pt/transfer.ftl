transfer-nothing = Não há nada para exportar.
transfer-not-private = Não consegui escrever para você no privado. Toque em Iniciar numa conversa comigo e envie { $command } aqui de novo.
transfer-anonymous = Você escreve como o grupo, então não sei a quem enviar. Envie /export com seu nome.
transfer-sent = Enviei para você no privado.
transfer-ask-for-file =
    Agora me envie o arquivo, em até 10 minutos. Eu leio:
    • uma exportação minha, Telegram Desktop (JSON ou HTML), WhatsApp, Discord,
    • ChatGPT e Claude (o .zip da exportação), Gemini (“Minha atividade” do Google Takeout, AI Studio),
    • conversas em JSON ou Markdown.

    No máximo 20 MB, também .zip ou .gz. Nada é guardado antes de você concordar.
transfer-as-reply = Envie-o como resposta a esta mensagem.
transfer-no-file = Não vejo mais o arquivo. Envie-o de novo, com /import como legenda.
transfer-left = Nada foi importado.
transfer-again = O que foi importado fica; envie o arquivo de novo para continuar.
transfer-incognito = Nada é escrito no modo anônimo. /incognito o encerra.
transfer-import = Importar
transfer-cancel = Cancelar
transfer-importing = Importando…
transfer-importing-so-far = Importando… { $done } de { shared-messages }.
transfer-stopped = A importação parou depois de { shared-messages }.
transfer-not-begun = A importação não começou.
transfer-moved = Nesse meio-tempo a memória foi movida ou apagada.
transfer-plan-none = Isto é { $name }.
transfer-plan = Isto é { $name } com { $what }.
transfer-plan-whole = Nada mais está guardado aqui, então voltaria tudo como estava.
transfer-plan-part = As mensagens voltam agora, o resto com o último arquivo. Envie também os outros. Ainda faltam: { $missing }.
transfer-done-part = Pronto: { shared-messages } de volta. Ainda faltam: { $missing }.
transfer-adds = Acrescentaria { $what }.
transfer-adds-dated = Acrescentaria { $what } ({ $when }).
transfer-as-history = Elas mantêm a data, e nenhum modelo é consultado. Eu as encontro quando for preciso.
transfer-all-known = Eu já conheço tudo isso. Não há nada para importar.
transfer-empty = Não contém mensagens: não há nada para importar.
transfer-turns-on = A memória está desligada; importar a liga.
transfer-known = Já conhecido: { shared-messages }.
transfer-done-whole = Pronto: { shared-messages } de volta como antes, com tudo o que faz parte.
transfer-done = Pronto, acrescentado: { $what }.
transfer-ask-me = Pergunte sobre isso.
transfer-new-facts = Fatos novos: { $facts }.
transfer-settings = suas configurações
transfer-of-group = A memória do grupo “{ $title }”.
transfer-caption = Para máquinas (JSON), tudo o que guardo aqui: { $what }. /import o lê de novo.
transfer-plan-reminders = Lembretes que seriam criados: { $reminders }
transfer-paste = De outro assistente
transfer-paste-how = Copie minha próxima mensagem no outro assistente e cole a resposta aqui em até 10 minutos. Você vê cada fato antes que eu o guarde.
transfer-paste-prompt = Liste tudo o que você sabe e lembra sobre mim: fatos, preferências, pessoas, projetos, datas. Escreva um por linha, na forma [data, se conhecida] - conteúdo. Não omita nada e não acrescente mais nada.
transfer-choose-none = Não escolher nenhum
transfer-choose-all = Escolher todos
transfer-go-on = Continuar
transfer-pause = Pausar
transfer-stopping = Paro em um instante.
transfer-paused = Está em pausa; o que foi importado fica.
transfer-ended = Terminou; o que foi importado fica. /forget pode removê-lo.
transfer-minutes-left = Faltam uns { $minutes } min.
transfer-for-whom = Para quem é a exportação? Para ler: Markdown e uma página com busca. Para uma máquina: JSON, que /import lê de novo.
transfer-for-me = Para mim
transfer-for-a-machine = Para uma máquina
transfer-caption-zip = Para ler: { $what }, em Markdown, um arquivo por mês. Abre no Obsidian.
transfer-caption-html = Para ler no navegador, mesmo sem internet: { $what }, com busca.
transfer-page-title = Minha memória
transfer-page-search = Buscar
transfer-page-profile = Perfil
transfer-page-facts = Fatos
transfer-page-summaries = Resumos
transfer-page-me = Eu
