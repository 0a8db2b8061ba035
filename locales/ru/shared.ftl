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
shared-semicolon = ;{ " " }
shared-quoted = «{ $text }»
shared-yesterday = вчера
shared-today = сегодня
shared-tomorrow = завтра
shared-you = ты
shared-me = я
shared-tool = инструмент
shared-admins-only = Настройки памяти этой группы могут менять только её администраторы.
shared-dead-button = Эта кнопка больше не работает.
shared-not-yours = Эта кнопка не для тебя.
shared-not-here = Здесь эта кнопка не работает.
shared-failed = Не получилось. Попробуй ещё раз.
shared-takes-nothing = После { $command } ничего писать не нужно, поэтому я ничего не сделал. Отправь просто { $command }.
shared-unknown = Я не знаю команды { $command }. Все команды: /help
shared-unknown-near = Я не знаю команды { $command }. Может быть, { $near }? Все команды: /help
shared-once-more = Попробуй ещё раз; /cancel оставит всё как есть.
shared-too-long = Это { $length } знаков; можно не больше { $most }. Ничего не изменилось.
