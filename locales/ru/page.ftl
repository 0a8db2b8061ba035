page-title = Keepsake · песочница
page-banner = отвечает { $model } · работает только на этом компьютере
page-offline-model = офлайн-модель (она только цитирует то, что помнит)
page-chats = Чаты
page-chat = Чат
page-memory = Память
page-views = Разделы
page-conversation = Разговор
page-messages = Сообщения
page-topics = Темы
page-topic-general = Общее
page-back = Назад к чатам
page-start-over = Начать заново
page-show-memory = Показать память
page-jump = К самому новому сообщению
page-drop = Отпусти, чтобы отправить
page-ok = OK
page-cancel = Отмена
page-add = Добавить
page-first-name = Имя
page-app-language = Язык приложения
page-add-person = Добавить человека
page-start-over-with = Начать заново: { $title }?
page-start-over-hint = Чат станет пустым, и всё, что о нём запомнено, будет стёрто.
page-fresh-start = Начинаем с чистого листа.
page-in-private = Наедине с ботом, от имени
page-groups = Группы
page-no-messages = Сообщений пока нет
page-you-said = Ты: { $words }
page-unread = непрочитанных: { $number }
page-theme-auto = Тема: автоматически
page-theme-light = Тема: светлая
page-theme-dark = Тема: тёмная
page-language = Язык этой страницы
page-language-auto = Автоматически: { $language }
page-today = Сегодня
page-yesterday = Вчера
page-unknown = Неизвестно
page-new-messages = Новые сообщения
page-welcome-back = С возвращением. То, что выше, взято из памяти.
page-waiting = жду сервер…
page-typing = печатает…
page-typing-name = { $name } печатает…
page-writing-as = бот · ты пишешь от имени { $name }
page-members = { $number ->
    [one] { $number } участник
    [few] { $number } участника
   *[many] { $number } участников
 }
page-members-and-bot = { $number ->
    [one] { $number } участник и бот
    [few] { $number } участника и бот
   *[many] { $number } участников и бот
 }
page-welcome-private = Бот запоминает то, что ты ему рассказываешь, если ты разрешишь. Нажми «Запустить»; всё, что ты скажешь, получит модель, указанная вверху.
page-welcome-group = Упомяни { $bot } или ответь боту, и он ответит.
page-writing = Бот пишет
page-edited = изменено
page-photo-of = Фото: { $caption }
page-kind-photo = Фото
page-kind-voice = Голосовое сообщение
page-kind-sticker = Стикер
page-kind-animation = Анимация
page-kind-video = Видео
page-kind-video_note = Видеосообщение
page-kind-audio = Аудио
page-kind-file = Файл
page-download = Скачать { $name }
page-reply-key = Ответить (R)
page-copy-key = Скопировать текст (C)
page-edit-key = Изменить (E)
page-copied = Скопировано
page-copy = копировать
page-copy-code = Скопировать код
page-code = Код
page-code-in = Код: { $language }
page-hidden-text = Скрытый текст, нажми, чтобы показать
page-show-all = Показать всё
page-show-less = Свернуть
page-joined = Теперь в группе: { $names }
page-left = Больше не в группе: { $name }
page-topic-created = Создана тема: { $name }
page-group-renamed = Группа теперь называется { $name }
page-start = Запустить
page-message = Сообщение
page-message-group = Сообщение или { $bot }
page-suggestions = Подсказки
page-tries = Что попробовать
page-try-1 = У меня аллергия на грецкие орехи.
page-try-2 = Моя сестра Нора живёт в Лиссабоне.
page-try-3 = На что у меня аллергия?
page-try-4 = Что ты обо мне знаешь?
page-commands = Команды
page-attach = Прикрепить файл
page-send = Отправить
page-send-key = Отправить (Enter)
page-as = от имени
page-speak-as = Говорить от имени
page-edit-message = Изменить сообщение
page-reply-to = Ответ для { $name }
page-cancel-key = Отмена (Esc)
page-not-sent = Не отправлено: сервер не отвечает.
page-no-answer = Сервер не отвечает.
page-answered = Ответ сервера: { $status }.
page-caption-long = Подпись — не больше { $most } символов.
page-edit-long = Изменённое сообщение — от 1 до { $most } символов.
page-name-long = Имя — от 1 до { $most } символов.
page-people-many = Людей здесь уже { $most }.
page-memory-unreadable = Память сейчас не читается.
page-remembered-about = Что запомнено: { $name }
page-remembered-in = Что запомнено в группе { $title }
page-on = вкл.
page-off = выкл.
page-active = активных: { $number }
page-archived = в архиве: { $number }
page-memory-off = Память выключена, пока её не включат: отправь /summary в чате.
page-until-summary = До следующей сводки
page-turns-of = { $done } из { $total ->
    [one] { $total } хода
    [few] { $total } ходов
   *[many] { $total } ходов
 }
page-read-of = { $done } из { $total } твоих сообщений
page-summarising = Старые сообщения сейчас обобщаются.
page-summary-failed = Последняя сводка не удалась: { $error }
page-summaries = Сводки
page-summaries-none = Пока нет. Когда наберётся достаточно сообщений, из них получится первая сводка; ничего не стирается.
page-summaries-count = активных { $active }, всего { $total }
page-summaries-level = Сводки ступени { $level }
page-summary-active = Сводка { $id } ступени { $level }, { $messages }, активна
page-summary-passive = Сводка { $id } ступени { $level }, { $messages }, вошла в более позднюю
page-standing-active = В запросе к модели, пока активна.
page-standing-higher = Вошла в более высокую сводку; хранится, но в запросе её больше нет.
page-standing-replaced = Заменена более новой версией; хранится, но в запросе её больше нет.
page-version = Версия { $number }
page-version-of = Версия { $number } ({ $policy }): { $chain }
page-quality = Качество { $score }
page-part-retention = имена и числа сохранены { $score }
page-part-novelty = ничего не выдумано { $score }
page-part-coverage = охвачено ходов { $score }
page-part-compression = сокращение { $score }
page-part-repetition = без повторов { $score }
page-compressed = { $number ->
    [one] обобщено { $number } раз
    [few] обобщено { $number } раза
   *[many] обобщено { $number } раз
 }
page-reason-threshold = набралось достаточно ходов
page-reason-now = по просьбе
page-reason-idle = во время паузы
page-reason-pressure = запрос был почти полон
page-reason-cut = ходы перестали помещаться
page-reason-upwards = набралось достаточно сводок
page-reason-rebuild = составлено заново
page-reason-import = импортировано
page-tokens-made = { $read } → { $written } токенов
page-messages-count = { $number ->
    [one] { $number } сообщение
    [few] { $number } сообщения
   *[many] { $number } сообщений
 }
page-messages-newest = новые { $shown } из { $total }
page-messages-none = Пока ничего не запомнено.
page-messages-off = Пока память выключена, ничего не сохраняется.
page-messages-archived = { $messages } под сводкой { $id }
page-messages-active = { $messages }, дословно в запросе
page-message-active = Дословно в запросе, пока помещается.
page-message-archived = Под сводкой { $id }: по-прежнему находится поиском, дословно.
page-legend-person = человек
page-legend-bot = бот
page-legend-colour = каждый цвет — одна сводка
page-profile = Профиль
page-versions = { $number ->
    [one] { $number } версия
    [few] { $number } версии
   *[many] { $number } версий
 }
page-versions-earlier = { $number ->
    [one] { $number } прежняя версия
    [few] { $number } прежние версии
   *[many] { $number } прежних версий
 }
page-by-model = модель: { $model }
page-facts = Факты
page-facts-count = актуальных { $holding }, устаревших или удалённых { $gone }
page-fact-since = с { $day }
page-fact-from = из { $sources }
page-fact-by-hand = добавлено вручную
page-fact-earlier = прежний текст
page-fact-pinned = закреплено
page-fact-deleted = удалено
page-fact-before = раньше: { $number }
page-kind-personal = личное
page-kind-preference = предпочтение
page-kind-knowledge = знание
page-kind-event = событие
page-kind-instruction = указание
page-learning-running = Изучаю импортированную историю
page-learning-partly = Изучена часть импортированной истории
page-learning-done = Импортированная история изучена
page-prompt = Последний запрос к модели
page-prompt-none = Появится со следующим ответом.
page-tokens-of = { $tokens } из { $most } токенов
page-cut = Не поместилось
page-cut-turns = прежние ходы
page-cut-archived = сообщения из архива
page-cut-document = документ
page-cut-summary = сводка
page-found = Найдено в памяти
page-found-count = { $number ->
    [one] { $number } прежнее сообщение
    [few] { $number } прежних сообщения
   *[many] { $number } прежних сообщений
 }
