forget-members = Para retirar suas próprias palavras, responda a elas com /forget.
forget-usage =
    O que devo esquecer?
    
    • uma mensagem: responda a ela com /forget
    • dias: /forget ontem, /forget 1 de maio – 3 de junho
    • o que você buscar: /forget PALAVRAS
    • tudo: /forget tudo
    
    Pergunto antes de apagar qualquer coisa.
forget-final = Isso não pode ser desfeito.
forget-clean = Não resta nada disso nos arquivos do bot.
forget-traces = Por enquanto podem restar vestígios nos arquivos do bot; a limpeza continua.
forget-kept = Nada foi esquecido.
forget-gone = Não há nada disto na memória do bot.
forget-former = Essa mensagem é de antes de este grupo virar supergrupo. Um administrador pode apagá-la com /forget e algumas de suas palavras.
forget-no-such-date = Essa data não existe. Escreva assim: 3 de junho de 2026.
forget-not-in-my-power = Fora do alcance do bot: este chat no Telegram, o que o provedor do modelo guarda, backups anteriores.
forget-today = Hoje
forget-everything = Tudo
forget-none-found = Nenhuma mensagem aqui tem essas palavras.
forget-elsewhere = /search busca em todas as conversas; /chats abre uma.
forget-which = Qual destas devo esquecer?
forget-all = Todas as { $number }
forget-maybe-more = Pode haver mais.
forget-none-of-them = Nenhuma
forget-keep-it = Manter
forget-ask-this = Devo esquecer isto?
forget-it = Esquecer
forget-them-too = Esquecer também
forget-all-of-it = Esquecer tudo
forget-turn = Pergunta e resposta
forget-turns = Perguntas e respostas
forget-only-message = Só esta mensagem
forget-only-messages = Só estas mensagens
forget-erases = Isto apaga: { $what }.
forget-choices-stay = Também são apagados o fuso horário, o estilo próprio e os pedidos para os resumos. As outras configurações ficam.
forget-done = Esquecido.
forget-line = #{ $id } · { $date } · { $speaker }: “{ $text }”
forget-profiles = { $profiles ->
    [one] { $profiles } versão do seu perfil
   *[other] { $profiles } versões do seu perfil
 }
forget-versions = { $versions ->
    [one] { $versions } versão anterior
   *[other] { $versions } versões anteriores
 }
forget-reminders = { $reminders ->
    [one] { $reminders } lembrete
   *[other] { $reminders } lembretes
 }
forget-answers = { $answers ->
    [one] { $answers } resposta posterior
   *[other] { $answers } respostas posteriores
 }
forget-import-stops = Há uma importação em andamento. Ela para, e o que trouxe também é apagado.
forget-quotes = É citado em: { $what }.
forget-words-may-stay = Outras mensagens podem conter as mesmas palavras; /search as encontra.
forget-receipt = Esquecido: { $what }.
forget-kept-aside = Arquivos danificados ou substituídos guardados aqui podem contê-lo: { $names }.
# What may be written for it after /forget.
forget-words-everything = tudo
forget-group = Tudo: toda a memória deste grupo, de todos os tópicos
forget-words-stay = Palavras disso ficam em: { $what }. /search as encontra.
