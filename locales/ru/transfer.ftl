transfer-admins-export = Экспортировать память этой группы могут только её администраторы.
transfer-admins-import = Импортировать в память этой группы могут только её администраторы.
transfer-nothing = Экспортировать нечего: ничего не сохранено.
transfer-not-private = Я не смог написать тебе лично, а то, что помнит эта группа, в группе не публикую. Открой чат со мной, нажми «Запустить» и отправь /export здесь ещё раз.
transfer-anonymous = Ты пишешь от имени группы, поэтому я не знаю, кому отдать файл. Отправь /export от своего имени.
transfer-sent = Отправил тебе лично.
transfer-ask-for-file =
    Теперь отправь мне файл, у тебя 10 минут:
    • мой экспорт (/export),
    • result.json из Telegram Desktop (меню чата, «Экспорт истории чата», формат JSON),
    • conversations.json из ChatGPT (Settings, Data controls, Export; подойдёт и .zip).

    Не больше 20 МБ; можно .zip и .gz. Сначала я скажу, что добавится; без твоего согласия ничего не сохраняется.
transfer-as-reply = Отправь его ответом на это сообщение.
transfer-no-file = Я больше не вижу файла. Отправь его ещё раз с подписью /import
transfer-left = Ничего не импортировано.
transfer-not-awaited = Я больше не жду файла. Ничего не импортировано.
transfer-again = Импортированное остаётся; чтобы продолжить, отправь файл ещё раз.
transfer-incognito = Пока включено инкогнито, ничего не записывается. Выключи его командой /incognito и отправь файл ещё раз.
transfer-import = Импортировать
transfer-cancel = Отмена
transfer-importing = Импортирую…
transfer-importing-so-far = Импортирую… { $done } из { $messages ->
    [one] { $messages } сообщения
   *[other] { $messages } сообщений
 }.
transfer-stopped = Импорт остановился после { $messages ->
    [one] { $messages } сообщения
   *[other] { $messages } сообщений
 }.
transfer-not-begun = Импорт не начался.
transfer-moved = Тем временем память перенесли или стёрли.
transfer-plan = Это { $name }: { shared-messages }.
transfer-plan-facts = Это { $name }: { shared-messages } и { shared-facts }.
transfer-plan-whole = Больше здесь ничего не сохранено, поэтому всё вернётся как было: сообщения, сводки, факты, настройки.
transfer-plan-part = Это один из нескольких файлов, и всё вернётся как было: сообщения сейчас, а сводки, факты и настройки — с последним файлом. Отправь и остальные, в любом порядке. Ещё нужны: { $missing }.
transfer-done-part = Готово, вернулось как было: { shared-messages }. Ещё нужны: { $missing }.
transfer-adds = Добавится { shared-messages }.
transfer-adds-day = Добавится { shared-messages } за { $day }.
transfer-adds-days = Добавится { shared-messages } с { $first } по { $last }.
transfer-adds-facts = Добавится { shared-facts }.
transfer-as-history = Они попадут в архив как история, каждое под своей датой: найдутся, когда понадобятся, и обобщатся выдержками, без модели (потом это улучшит /summary_rebuild).
transfer-all-known = Всё это уже известно. Импортировать нечего.
transfer-empty = Сообщений в нём нет: импортировать нечего.
transfer-turns-on = Память выключена; импорт её включит.
transfer-known = Уже известно и остаётся как есть: { shared-messages }.
transfer-done-whole = Готово: { shared-messages } и всё, что к ним относится, снова здесь как было.
transfer-done = Готово, добавлено: { $what }.
transfer-ask-me = Спрашивай о них.
transfer-its-facts = { $facts ->
    [one] Его факт тоже импортируется.
   *[other] Его факты тоже импортируются.
 }
transfer-its-facts-known = { $facts ->
    [one] Его факт уже известен.
   *[other] Его факты уже известны.
 }
transfer-new-facts = Ещё неизвестное тоже импортируется: { shared-facts }.
transfer-settings = твои настройки
transfer-of-group = Память группы «{ $title }».
transfer-caption = Всё, что я здесь храню: { $what }. Это текст, который можно прочитать; импортировать обратно: /import
transfer-caption-gz = Всё, что я здесь храню: { $what }. Это сжатый текст; импортировать обратно: /import
transfer-plan-reminders = Напоминания, которые будут поставлены: { $reminders }
