transfer-admins-export = Экспортировать память этой группы могут только её администраторы.
transfer-admins-import = Импортировать в память этой группы могут только её администраторы.
transfer-nothing = Экспортировать нечего: ничего не сохранено.
transfer-not-private = Я не смог написать тебе лично, а то, что помнит эта группа, в группе не публикую. Открой чат со мной, нажми «Запустить» и отправь /export здесь ещё раз.
transfer-anonymous = Ты пишешь от имени группы, поэтому я не знаю, кому отдать файл. Отправь /export от своего имени.
transfer-sent = Отправил тебе лично.
transfer-ask-for-file =
    Теперь отправь мне файл, у тебя 10 минут. Я читаю:
    • мой экспорт (/export),
    • Telegram Desktop: один чат или всё («Экспорт истории чата», JSON или HTML),
    • ChatGPT, Claude: .zip с экспортом данных; Gemini: «Мои действия» из Google Takeout, AI Studio,
    • WhatsApp («Экспорт чата»), Discord, беседы в JSON или Markdown.

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
transfer-caption = Для программ (JSON), всё, что я здесь храню: { $what }. Импортировать обратно: /import
transfer-caption-gz = Для программ (сжатый JSON), всё, что я здесь храню: { $what }. Импортировать обратно: /import
transfer-plan-reminders = Напоминания, которые будут поставлены: { $reminders }
transfer-paste = От другого ассистента
transfer-paste-how = Скопируй моё следующее сообщение другому ассистенту и вставь его ответ сюда в течение 10 минут. Ты увидишь каждый факт, прежде чем я его сохраню.
transfer-paste-prompt = Перечисли всё, что ты знаешь и помнишь обо мне: факты, предпочтения, людей, проекты, даты. Пиши по одному на строку в виде [дата, если известна] - содержание. Ничего не пропускай и ничего не добавляй.
transfer-choose-none = Не выбирать ничего
transfer-choose-all = Выбрать все
transfer-go-on = Продолжить
transfer-pause = Пауза
transfer-stopping = Сейчас остановлюсь.
transfer-paused = Импорт на паузе; что вошло, остаётся.
transfer-ended = Импорт завершён; что вошло, остаётся. Удалить можно командой /forget
transfer-minutes-left = Осталось около { $minutes } мин.
transfer-for-whom = Для кого экспорт? Для чтения: файлы Markdown и страница с поиском. Для программы: JSON, его снова прочитает /import
transfer-for-me = Для меня
transfer-for-a-machine = Для программы
transfer-caption-zip = Для чтения: { $what }, в Markdown, по файлу на месяц. Открывается в Obsidian.
transfer-caption-html = Для чтения в браузере, без сети: { $what }, с поиском.
transfer-page-title = Моя память
transfer-page-search = Поиск
transfer-page-profile = Профиль
transfer-page-facts = Факты
transfer-page-summaries = Сводки
transfer-page-me = Я
transfer-page-bot = Keepsake
