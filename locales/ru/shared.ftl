shared-messages = { $messages ->
    [one] { $messages } сообщение
    [few] { $messages } сообщения
   *[many] { $messages } сообщений
 }
shared-turns = { $turns ->
    [one] { $turns } твоё сообщение
    [few] { $turns } твоих сообщения
   *[many] { $turns } твоих сообщений
 }
shared-facts = { $facts ->
    [one] { $facts } факт
    [few] { $facts } факта
   *[many] { $facts } фактов
 }
shared-summaries = { $summaries ->
    [one] { $summaries } сводка
    [few] { $summaries } сводки
   *[many] { $summaries } сводок
 }
shared-and = { $first } и { $last }
shared-or = { $first } или { $last }
shared-comma = ,{ " " }
shared-quoted = «{ $text }»
shared-yesterday = вчера
shared-today = сегодня
shared-tomorrow = завтра
shared-you = ты
shared-bot = бот
shared-tool = инструмент
shared-admins-only = Это могут только администраторы этой группы.
shared-dead-button = Эта кнопка больше не действует. Попроси ещё раз.
shared-not-yours = Эта кнопка не для тебя.
shared-failed = Не получилось. Попробуй ещё раз.
shared-takes-nothing = После { $command } ничего не пишут. Отправь команду саму по себе.
shared-unknown = Я не знаю команды { $command }. Все команды: /help
shared-in-private = { $command } работает только в нашем личном чате.
shared-once-more = Попробуй ещё раз; /cancel оставит всё как есть.
shared-span = { $first } – { $last }
shared-no = Нет
shared-near = Может быть, { $near }?
shared-too-long = Здесь символов: { $length }; можно не больше { $most }. Ничего не изменилось.
