forget-admins-only = Заставить меня забыть сказанное здесь могут только администраторы этой группы.
forget-members = Заставить меня забыть сказанное здесь могут только администраторы этой группы. Свои слова можно забрать самостоятельно: ответь на своё сообщение командой /forget.
forget-usage =
    Что забыть?

    • одно сообщение: ответь на него командой /forget или напиши /forget #12
    • факт: /forget факт 12
    • день или несколько: /forget 2026-01-31, /forget 2026-01-01 2026-02-01, /forget вчера
    • то, что найдётся: /forget СЛОВА
    • всё: /forget всё

    Прежде чем стереть, я скажу, что именно, и спрошу.
forget-final = Отменить это нельзя.
forget-clean = В моих файлах ничего от этого не осталось.
forget-traces = Следы пока могут оставаться в моих файлах: они заняты или диск полон. Я продолжаю их вычищать.
forget-expired = Этому вопросу больше 10 минут, он больше не действует. Отправь /forget ещё раз.
forget-kept = Ничего не забыто.
forget-gone = Этого в моей памяти нет (или уже нет).
forget-not-stored = Сообщения, на которое ты отвечаешь, в моей памяти нет.
forget-former = Я не знаю, какое это сообщение: оно написано до того, как эта группа стала супергруппой. Администратор может найти и стереть его командой /forget с несколькими словами из него.
forget-no-such-date = Такой даты нет. Пиши даты так: 2026-01-31.
forget-not-in-my-power = Не в моей власти: то, что написано в этом чате (в Telegram это можно удалить), то, что поставщик модели сохранил из прежних запросов, и сделанные раньше резервные копии.
forget-today = Сегодня
forget-everything = Всё
forget-none-found = В этом разговоре я не нашёл сообщений с такими словами. Ничего не забыто.
forget-elsewhere = Возможно, это в другом разговоре: /search найдёт во всех, а /chats откроет нужный.
forget-which = Что из этого забыть? Прежде чем стереть, я спрошу ещё раз.
forget-all = Все { $number }
forget-maybe-more = Может быть и больше: поищи ещё раз, когда закончишь с этими.
forget-none-of-them = Ничего из этого
forget-keep-it = Оставить
forget-nothing-there = Там нечего забывать.
forget-ask-fact = Забыть факт { $id }?
forget-ask-day = Забыть сказанное { $day }?
forget-ask-days = Забыть сказанное с { $first } по { $last }?
forget-ask-everything = Забыть всё?
forget-ask-everything-group = Забыть всё? Это вся память этой группы, по всем темам.
forget-ask-this = Забыть это?
forget-ask-these = Забыть эти сообщения ({ $messages })?
forget-it = Забыть
forget-them-too = Забыть и их
forget-messages = Забыть { shared-messages }
forget-all-of-it = Забыть всё
forget-turn = Забыть вопрос и ответ
forget-turns = Забыть вопросы и ответы
forget-only-message = Только это сообщение
forget-only-messages = Только эти сообщения
forget-erases = Будет стёрто: { $what }.
forget-erases-with-them = Вместе с ними будет стёрто: { $what }.
forget-erases-with-turn = Вместе с вопросом или ответом к нему будет стёрто: { $what }.
forget-erases-with-request = Вместе с вопросом или ответом к нему и твоей нынешней просьбой будет стёрто: { $what }.
forget-erases-with-turns = Вместе с вопросами и ответами к ним: { $what }.
forget-choices-stay = Твои настройки остаются как есть.
forget-done = Забыто.
forget-line = #{ $id } · { $date } · { $speaker }: «{ $text }»
forget-reactivated = Соседние сообщения ({ $messages }) остаются и будут обобщены заново без этого.
forget-profiles = { $profiles ->
    [one] { $profiles } версия твоего профиля
    [few] { $profiles } версии твоего профиля
   *[many] { $profiles } версий твоего профиля
 }
forget-versions = { $versions ->
    [one] { $versions } прежний текст
    [few] { $versions } прежних текста
   *[many] { $versions } прежних текстов
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
forget-quotes = { $count ->
    [one] Это повторяет { $what }.
   *[other] Это повторяют: { $what }.
 }
forget-quotes-stay = { $count ->
    [one] Это повторяет и остаётся: { $what }.
   *[other] Это повторяют и остаются: { $what }.
 }
forget-words-stay = Некоторые из этих слов есть и в других сообщениях, которые остаются ({ $messages }); их найдёт /search
forget-words-may-stay = Те же слова могут быть и в сообщениях, которые остаются; их найдёт /search
forget-receipt = Забыто: { $what }. { $rest }
forget-kept-aside = Кроме того, мой оператор хранит повреждённые или заменённые файлы, в которых это может быть: { $names }.
# What may be written for it after /forget.
forget-words-everything = всё/все
