transfer-nothing = Экспортировать нечего.
transfer-not-private = Я не смог написать тебе лично. Нажми «Запустить» в чате со мной и отправь { $command } здесь ещё раз.
transfer-anonymous = Ты пишешь от имени группы, и я не знаю, кому отдать файл. Отправь /export от своего имени.
transfer-sent = Отправил тебе лично.
transfer-ask-for-file =
    Теперь отправь мне файл, у тебя 10 минут. Я читаю:
    • мой экспорт, Telegram Desktop (JSON или HTML), WhatsApp, Discord,
    • ChatGPT и Claude (.zip их экспорта), Gemini («Мои действия» из Google Takeout, AI Studio),
    • беседы в JSON или Markdown.

    Не больше 20 МБ, можно .zip или .gz. Без твоего согласия ничего не сохраняется.
transfer-as-reply = Отправь его ответом на это сообщение.
transfer-no-file = Я больше не вижу файла. Отправь его ещё раз с подписью /import
transfer-left = Ничего не импортировано.
transfer-again = Импортированное остаётся; чтобы продолжить, отправь файл ещё раз.
transfer-incognito = Пока включено инкогнито, ничего не записывается. Выключить: /incognito
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
transfer-plan-none = Это { $name }.
transfer-plan = Это { $name }: { $what }.
transfer-plan-whole = Больше здесь ничего не сохранено, поэтому всё вернётся как было.
transfer-plan-part = Сообщения вернутся сейчас, остальное — с последним файлом. Отправь и другие. Ещё нужны: { $missing }.
transfer-done-part = Готово, вернулось: { shared-messages }. Ещё нужны: { $missing }.
transfer-adds = Добавится: { $what }.
transfer-adds-dated = Добавится: { $what } ({ $when }).
transfer-as-history = Сообщения сохранят свои даты, модель для этого не нужна. Я найду их, когда понадобится.
transfer-all-known = Всё это уже известно. Импортировать нечего.
transfer-empty = Сообщений в нём нет: импортировать нечего.
transfer-turns-on = Память выключена; импорт её включит.
transfer-known = Уже известно: { shared-messages }.
transfer-done-whole = Готово: { shared-messages } и всё, что к ним относится, снова здесь.
transfer-done = Готово, добавлено: { $what }.
transfer-ask-me = Спрашивай о них.
transfer-new-facts = Новых фактов: { $facts }.
transfer-settings = твои настройки
transfer-of-group = Память группы «{ $title }».
transfer-caption = Для программ (JSON), всё, что я здесь храню: { $what }. Импортировать обратно: /import
transfer-plan-reminders = Напоминания, которые будут поставлены: { $reminders }
transfer-paste = От другого ассистента
transfer-paste-how = Скопируй моё следующее сообщение другому ассистенту и вставь ответ сюда в течение 10 минут. Каждый факт ты увидишь заранее.
transfer-paste-prompt = Перечисли всё, что ты знаешь и помнишь обо мне: факты, предпочтения, людей, проекты, даты. Пиши по одному на строку в виде [дата, если известна] - содержание. Ничего не пропускай и ничего не добавляй.
transfer-choose-none = Не выбирать ничего
transfer-choose-all = Выбрать все
transfer-go-on = Продолжить
transfer-pause = Пауза
transfer-stopping = Сейчас остановлюсь.
transfer-paused = Импорт на паузе; импортированное остаётся.
transfer-ended = Импорт завершён; импортированное остаётся. Удалить можно командой /forget
transfer-minutes-left = Осталось около { $minutes } мин.
transfer-for-whom = Для кого экспорт? Для чтения: Markdown и страница с поиском. Для программы: JSON, его снова прочитает /import
transfer-for-me = Для меня
transfer-for-a-machine = Для программы
transfer-caption-zip = Для чтения: { $what }, в Markdown, по файлу на месяц. Открывается в Obsidian.
transfer-caption-html = Для чтения в браузере, даже без интернета: { $what }, с поиском.
transfer-page-title = Моя память
transfer-page-search = Поиск
transfer-page-profile = Профиль
transfer-page-facts = Факты
transfer-page-summaries = Сводки
transfer-page-me = Я
