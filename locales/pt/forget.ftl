forget-admins-only = Só os administradores deste grupo podem me fazer esquecer o que foi dito aqui.
forget-members = Só os administradores deste grupo podem me fazer esquecer o que foi dito aqui. Suas próprias palavras você pode retirar: responda à sua mensagem com /forget.
forget-usage =
    O que devo esquecer?

    • uma mensagem: responda a ela com /forget, ou /forget #12
    • um fato: /forget fato 12
    • um dia ou vários: /forget 2026-01-31, /forget 2026-01-01 2026-02-01, /forget ontem
    • o que você buscar: /forget PALAVRAS
    • tudo: /forget tudo

    Antes de apagar qualquer coisa, digo o que é e pergunto.
forget-final = Isso não pode ser desfeito.
forget-clean = Não resta nada disso nos meus arquivos.
forget-traces = Por enquanto podem restar vestígios nos meus arquivos, porque estão em uso ou o disco está cheio. Continuo limpando.
forget-expired = Esta pergunta tem mais de 10 minutos e não faz mais nada. Envie /forget de novo.
forget-kept = Nada foi esquecido.
forget-gone = Isso não está (ou não está mais) na minha memória.
forget-not-stored = A mensagem a que você respondeu não está na minha memória.
forget-former = Não sei que mensagem é essa, porque é de antes de este grupo se tornar um supergrupo: um administrador pode encontrá-la e apagá-la com /forget e algumas das suas palavras.
forget-no-such-date = Essa data não existe. Escreva datas assim: 2026-01-31.
forget-not-in-my-power = Fora do meu alcance: o que está escrito neste chat (o Telegram permite apagar), o que o provedor do modelo guardou de pedidos anteriores e os backups já feitos.
forget-today = Hoje
forget-everything = Tudo
forget-none-found = Não encontrei mensagens com essas palavras nesta conversa. Nada foi esquecido.
forget-elsewhere = Talvez esteja em outra conversa: /search encontra em todas e /chats abre uma.
forget-which = Qual destas devo esquecer? Pergunto mais uma vez antes de apagar.
forget-all = Todas as { $number }
forget-maybe-more = Pode haver mais: busque de novo quando terminar estas.
forget-none-of-them = Nenhuma
forget-keep-it = Manter
forget-nothing-there = Não há nada para esquecer aí.
forget-ask-fact = Devo esquecer o fato { $id }?
forget-ask-day = Devo esquecer o que foi dito em { $day }?
forget-ask-days = Devo esquecer o que foi dito de { $first } a { $last }?
forget-ask-everything = Devo esquecer tudo?
forget-ask-everything-group = Devo esquecer tudo? É toda a memória deste grupo, de todos os tópicos.
forget-ask-this = Devo esquecer isto?
forget-ask-these = Devo esquecer estas { shared-messages }?
forget-it = Esquecer
forget-them-too = Esquecer também
forget-messages = Esquecer { shared-messages }
forget-all-of-it = Esquecer tudo
forget-turn = Pergunta e resposta
forget-turns = Perguntas e respostas
forget-only-message = Só esta mensagem
forget-only-messages = Só estas mensagens
forget-erases = Isto apaga: { $what }.
forget-erases-with-them = Com eles, isto apaga: { $what }.
forget-erases-with-turn = Com a pergunta ou resposta correspondente, isto apaga: { $what }.
forget-erases-with-request = Com a pergunta ou resposta correspondente e o seu pedido de agora, isto apaga: { $what }.
forget-erases-with-turns = Com as perguntas e respostas correspondentes: { $what }.
forget-choices-stay = Suas configurações ficam como estão.
forget-done = Esquecido.
forget-line = #{ $id } · { $date } · { $speaker }: “{ $text }”
forget-reactivated = { $messages ->
    [one] { shared-messages } vizinha fica e será resumida de novo sem isso.
   *[other] { shared-messages } vizinhas ficam e serão resumidas de novo sem isso.
 }
forget-profiles = { $profiles ->
    [one] { $profiles } versão do seu perfil
   *[other] { $profiles } versões do seu perfil
 }
forget-versions = { $versions ->
    [one] { $versions } texto anterior
   *[other] { $versions } textos anteriores
 }
forget-reminders = { $reminders ->
    [one] { $reminders } lembrete
   *[other] { $reminders } lembretes
 }
forget-answers = { $answers ->
    [one] { $answers } resposta posterior
   *[other] { $answers } respostas posteriores
 }
forget-quotes = { $count ->
    [one] { $what } cita isto.
   *[other] { $what } citam isto.
 }
forget-quotes-stay = { $count ->
    [one] { $what } cita isso e fica.
   *[other] { $what } citam isso e ficam.
 }
forget-words-stay = { $messages ->
    [one] Algumas das palavras também estão em { shared-messages } que fica; /search as encontra.
   *[other] Algumas das palavras também estão em { shared-messages } que ficam; /search as encontra.
 }
forget-words-may-stay = Mensagens que ficam podem conter algumas das mesmas palavras; /search as encontra.
forget-receipt = Esquecido: { $what }. { $rest }
forget-kept-aside = Meu operador também guarda arquivos danificados ou substituídos que podem contê-lo: { $names }.
# What may be written for it after /forget.
forget-words-everything = tudo
