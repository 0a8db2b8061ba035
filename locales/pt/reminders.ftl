reminders-offer = Devo lembrar você { $when }?
reminders-yes = Sim
reminders-no = Não
reminders-declined = Nenhum lembrete foi criado.
reminders-too-old = Esta pergunta é antiga demais. Peça de novo ou use /reminders add.
reminders-passed = Essa hora já passou. Peça de novo com outra.
reminders-impossible-none = Esse dia ou essa hora não existe. Diga outra, por favor.
reminders-impossible-far = Está longe demais: eu lembro você dentro dos próximos { $years } anos.
reminders-set = Vou lembrar você { $when }: { $text }
reminders-cancel = Cancelar
reminders-cancelled = Cancelado: { $text }
reminders-gone = Esse lembrete não existe mais.
reminders-not-yours = Só quem pediu o lembrete, ou um administrador do grupo, pode cancelá-lo.
reminders-none = Não há lembretes.
reminders-how = Diga “me lembre na sexta às 9 de ligar para a Ana”, ou envie /reminders add com a hora e o motivo: /reminders add toda segunda às 10 enviar o relatório.
reminders-press = Cada botão cancela o lembrete do seu número.
reminders-utc = As horas estão em UTC, pois não conheço o seu fuso horário: /tz o define.
reminders-zone = Definir meu fuso horário
reminders-heading = { $reminders ->
    [one] { $reminders } lembrete:
   *[other] { $reminders } lembretes:
 }
reminders-full = { $reminders ->
    [one] Já há { $reminders } lembrete e não cabem mais. Cancele-o em /reminders.
   *[other] Já há { $reminders } lembretes e não cabem mais. Cancele alguns em /reminders.
 }
reminders-due = Lembrete: { $text }
reminders-late = Era para { $when }; não consegui enviar na hora.
reminders-each-daily = { $when }, e depois todo dia
reminders-each-weekly = { $when }, e depois toda semana
reminders-each-monthly = { $when }, e depois todo mês
reminders-weekdays = seg ter qua qui sex sáb dom
reminders-add-words = adicionar adicione novo
reminders-in-words = em dentro
reminders-minute-words = minuto minutos min
reminders-hour-words = hora horas h
reminders-day-words = dia dias
reminders-today-words = hoje
reminders-tomorrow-words = amanhã amanha
reminders-every-words = cada toda todo todos
reminders-at-words = às as à a na no em
reminders-half-words = h horas
reminders-joining-words = de que para
reminders-weekday-beginnings = seg ter qua qui sex sáb/sab dom
