forget-members = Чтобы забрать свои слова, ответь на них командой /forget.
forget-usage =
    Что забыть?
    
    • сообщение: ответь на него командой /forget
    • дни: /forget вчера, /forget 1 мая – 3 июня
    • то, что найдётся: /forget СЛОВА
    • всё: /forget всё
    
    Прежде чем стереть, я спрошу.
forget-final = Отменить это нельзя.
forget-clean = В файлах бота ничего от этого не осталось.
forget-traces = В файлах бота пока могут оставаться следы; они ещё вычищаются.
forget-kept = Ничего не забыто.
forget-gone = Ничего из этого в памяти бота нет.
forget-former = Это сообщение написано до того, как группа стала супергруппой. Администратор может стереть его командой /forget с несколькими словами из него.
forget-no-such-date = Такой даты нет. Пиши так: 3 июня 2026.
forget-not-in-my-power = Не во власти бота: этот чат в Telegram, то, что хранит поставщик модели, прежние резервные копии.
forget-today = Сегодня
forget-everything = Всё
forget-none-found = Сообщений с такими словами здесь нет.
forget-elsewhere = /search ищет во всех разговорах, /chats открывает нужный.
forget-which = Что из этого забыть?
forget-all = Все { $number }
forget-maybe-more = Может быть и больше.
forget-none-of-them = Ничего из этого
forget-keep-it = Оставить
forget-ask-this = Забыть это?
forget-it = Забыть
forget-them-too = Забыть и их
forget-all-of-it = Забыть всё
forget-turn = Забыть вопрос и ответ
forget-turns = Забыть вопросы и ответы
forget-only-message = Только это сообщение
forget-only-messages = Только эти сообщения
forget-erases = Будет стёрто: { $what }.
forget-choices-stay = Часовой пояс, свой стиль и пожелания к сводкам тоже стираются. Остальные настройки останутся.
forget-done = Забыто.
forget-line = #{ $id } · { $date } · { $speaker }: «{ $text }»
forget-profiles = { $profiles ->
    [one] { $profiles } версия твоего профиля
    [few] { $profiles } версии твоего профиля
   *[many] { $profiles } версий твоего профиля
 }
forget-versions = { $versions ->
    [one] { $versions } прежняя версия
    [few] { $versions } прежние версии
   *[many] { $versions } прежних версий
 }
forget-reminders = { $reminders ->
    [one] { $reminders } напоминание
    [few] { $reminders } напоминания
   *[many] { $reminders } напоминаний
 }
forget-answers = { $answers ->
    [one] { $answers } более поздний ответ
    [few] { $answers } более поздних ответа
   *[many] { $answers } более поздних ответов
 }
forget-import-stops = Сейчас идёт импорт. Он остановится, и всё, что он принёс, тоже будет удалено.
forget-quotes = Это повторяют: { $what }.
forget-words-may-stay = Те же слова могут быть в других сообщениях; их найдёт /search
forget-receipt = Забыто: { $what }.
forget-kept-aside = Это может быть в повреждённых или заменённых файлах, которые хранятся здесь: { $names }.
# What may be written for it after /forget.
forget-words-everything = всё все
forget-group = Всё: вся память этой группы, по всем темам
forget-words-stay = Эти слова остаются здесь: { $what }. Их найдёт /search
