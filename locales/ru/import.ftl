import-title-keepsake = мой собственный экспорт
import-title-telegram = экспорт Telegram Desktop
import-title-chatgpt = экспорт ChatGPT
import-title-claude = экспорт Claude
import-title-gemini = экспорт Gemini
import-title-whatsapp = чат WhatsApp
import-title-discord = экспорт Discord
import-title-telegram-html = экспорт Telegram Desktop в HTML
import-title-generic = список бесед
import-title-memories = что помнит о тебе другой ассистент
import-file-keepsake = мой собственный экспорт
import-file-telegram = result.json от Telegram Desktop
import-file-chatgpt = conversations.json от ChatGPT
import-file-claude = экспорт Claude
import-file-gemini = MyActivity.json от Gemini
import-file-whatsapp = чат WhatsApp
import-file-discord = сообщения Discord
import-file-telegram-html = messages.html из Telegram Desktop
import-file-generic = беседы в JSON или Markdown
import-file-memories = список воспоминаний
import-kinds-differ = В архиве экспорты разного вида. Присылай их, пожалуйста, по одному.
import-several-own = В архиве несколько моих экспортов. Присылай их, пожалуйста, по одному.
import-too-many-messages = В файле больше { $most } сообщений. Пришли, пожалуйста, историю за меньший срок. Ничего не импортировано.
import-too-many-facts = В файле больше { $most } фактов. Пришли, пожалуйста, историю за меньший срок. Ничего не импортировано.
import-facts-in-all = С этими фактами я знал бы об этом чате больше { $most } фактов. Ничего не импортировано.
import-too-many-files = В файле больше { $most } файлов. Пришли, пожалуйста, историю за меньший срок. Ничего не импортировано.
import-fact-too-long = В facts[{ $number }] больше { $most } символов, а для факта это предел. Ничего не импортировано.
import-empty = Файл пуст. Ничего не импортировано.
import-unknown-format = Похоже, это { $seems }, но такого я не знаю. Я читаю { $known }, также в .zip или .gz. Ничего не импортировано.
import-not-utf8 = Файл — не текст в UTF-8: строка { $line }. Ничего не импортировано.
import-damaged-archive = Архив повреждён или закрыт паролем. Ничего не импортировано.
import-unpacked = В распакованном виде файл больше { $megabytes } МБ. Ничего не импортировано.
import-many-in-archive = В архиве больше { $most } файлов. Ничего не импортировано.
import-no-export = В архиве нет экспорта, который я знаю. Я читаю { $known }. Ничего не импортировано.
import-too-much = В файле больше, чем я могу прочитать за раз. Пришли, пожалуйста, историю за меньший срок. Ничего не импортировано.
import-died = На этот файл уходит больше памяти или времени, чем я могу потратить. Пришли, пожалуйста, историю за меньший срок. Ничего не импортировано.
import-not-json = Файл — неправильный JSON: строка { $line }, столбец { $column }: { $why }. Ничего не импортировано.
import-too-deep = слишком глубокая вложенность
import-out-of-bounds = число за пределами допустимого
import-quotes-expected = здесь должно быть имя в кавычках
import-follows = после конца есть что-то ещё
import-expected = здесь должно быть «{ $what }»
import-expected-either = здесь должно быть «{ $what }» или «{ $other }»
import-not-telegrams = { $where }id — не число, значит, файл не от Telegram. Ничего не импортировано.
import-wrong = { $where } (строка { $line }): { $why }. Ничего не импортировано.
import-no-object = это не объект
import-no-conversation = это не разговор
import-no-list = это не список
import-no-time = это не время
import-circle = путь идёт по кругу
import-missing = этого нет
import-its-no-number = '{ $name }' — не число
import-its-no-date = '{ $name }' — не дата
import-its-no-text = '{ $name }' — не текст
import-row = { $row }: { $why }
import-its-missing = '{ $name }' отсутствует
import-its-no-truth = '{ $name }' — не true и не false
import-its-no-whole = '{ $name }' — не целое число в допустимых пределах
import-its-no-choice = '{ $name }' — не одно из допустимых значений
import-its-no-list = '{ $name }' — не список того, что там должно быть
import-its-no-object = '{ $name }' — не объект
import-its-no-figures = '{ $name }' — не объект из одних чисел
import-its-no-summary = '{ $name }' указывает на сводку, которой нет
import-its-twice = '{ $name }' встречается дважды
import-its-no-role = 'role' — не user, не assistant и не system
import-text-neither = 'text' — ни текст, ни список частей
import-piece-wordless = в части 'text' нет слов
import-version = Этот экспорт версии { $version }, а я знаю { $known }. Обнови, пожалуйста, программу.
import-no-owner = В экспорте не сказано, чей он ('owner'). Ничего не импортировано.
import-no-part = В экспорте не сказано, какой это из его файлов ('part'). Ничего не импортировано.
import-damaged = Экспорт повреждён: { $why }. Ничего не импортировано.
import-busy = Прямо сейчас пишется сводка или идёт другой импорт. Попробуй чуть позже.
import-chat-saved = Избранное
import-chat-replies = Ответы
import-chat-nameless = чат без названия
import-chat-held = { $name } ({ $count })
import-holds-chats = Чатов в нём: { $chats } — { $named }.
import-holds-more = { $named } и ещё { $more }
import-holds-conversations = Разговоров в нём: { $count }.
import-none-yours = Твоих сообщений в нём нет (твой ID в Telegram — { $id }).
import-wordless = { $count ->
    [one] Пропущено { $count } сообщение без слов (картинки, голос, файлы).
    [few] Пропущено { $count } сообщения без слов (картинки, голос, файлы).
    [many] Пропущено { $count } сообщений без слов (картинки, голос, файлы).
   *[other] Пропущено { $count } сообщения без слов (картинки, голос, файлы).
 }
import-service = { $count ->
    [one] Пропущено { $count } служебное сообщение (звонки, закрепления, вступления).
    [few] Пропущено { $count } служебных сообщения (звонки, закрепления, вступления).
    [many] Пропущено { $count } служебных сообщений (звонки, закрепления, вступления).
   *[other] Пропущено { $count } служебного сообщения (звонки, закрепления, вступления).
 }
import-retained = { $days ->
    [one] По настройке оператора я стираю архив старше { $days } дня: { $old } из этих сообщений будут стёрты снова.
    [few] По настройке оператора я стираю архив старше { $days } дней: { $old } из этих сообщений будут стёрты снова.
    [many] По настройке оператора я стираю архив старше { $days } дней: { $old } из этих сообщений будут стёрты снова.
   *[other] По настройке оператора я стираю архив старше { $days } дня: { $old } из этих сообщений будут стёрты снова.
 }
import-already = Он уже здесь; ещё не хватает: { $missing }.
import-signed-here = Этот файл создал этот бот, и он не изменён.
import-signed-altered = Этот файл создал этот бот, но с тех пор его изменили.
import-signed-elsewhere = Этот бот не подписывал файл.
import-instructions = В нём есть указания, которым я буду следовать, как будто они от тебя: { $shown }.
import-instructions-more = { $shown } и ещё { $more }
import-differs = Вернуть всё как было не выйдет: { $why }. { $lost }.
import-differs-another = это экспорт другой памяти
import-differs-holds = в этой памяти уже что-то есть
import-differs-earlier = это один из нескольких файлов, записанных прежней версией
import-lost-numbers = Сообщения получат новые номера и будут считаться импортированными
import-lost-summaries = { $count ->
    [one] { $count } сводка будет составлена заново без модели
    [few] { $count } сводки будут составлены заново без модели
    [many] { $count } сводок будут составлены заново без модели
   *[other] { $count } сводки будут составлены заново без модели
 }
import-lost-profile = профиль пропускается
import-lost-versions = прежние тексты изменённых сообщений пропускаются
import-send-others = Пришли, пожалуйста, и остальные его файлы.
import-part = часть { $number }
import-part-others = ещё { $count }
import-part-following = всё, что идёт после части { $last }
import-seems-json = данные JSON
import-seems-html = веб-страница
import-seems-csv = таблица
import-seems-text = обычный текст
import-place = { $where } (строка { $line }): { $why }
import-refused = { $why }. Ничего не импортировано.
import-damaged-skipped = Пропущено повреждённых бесед: { $count }. Первая: { $first }.
import-nobody = никто из них
import-no-memories = Я не нахожу в этом тексте воспоминаний. Ничего не импортировано.
import-gemini-date = Я не могу прочитать даты на этой странице. Выбери в Google Takeout для «Мои действия» JSON вместо HTML. Ничего не импортировано.
import-order-dmy = { $example }: сначала день
import-order-mdy = { $example }: сначала месяц
import-chats-others = Чаты поменьше: { $chats } ({ $count })
import-chat-here = Чат со мной ({ $count }) пропущен: сказанное здесь не сохраняется дважды.
import-not-answered = Сначала ответь на мои вопросы об этом файле. Ничего не импортировано.
import-ask-chats = Какие чаты взять? Нажми на чат, чтобы выбрать его или нет.
import-ask-speaker = Кто из них ты?
import-ask-order = Как в этом файле пишутся даты?
import-ask-facts = В нём есть и факты о тебе. Все эти сохранятся; нажми на число, чтобы убрать один.
