# What went wrong, as people read it. The first ones are said of a kind of error where nothing better is known.

errors-keepsake = Something went wrong.
errors-storage = The memory cannot be read or written right now.
errors-storage-damaged = The memory's file is damaged and was left as it is. The bot's admin can bring back the last backup.
errors-storage-indexing = I am indexing your earlier messages again. Please try it again in a minute.
errors-model = The model gave no usable answer.
errors-model-unreachable = The model cannot be reached.
errors-model-busy = The model is overloaded.
errors-model-loading = The model is still being loaded; please try again in a minute.
errors-model-refused = The model's server refused the request.
errors-context-too-long = This is too long for the model.
errors-pictures-refused = The model does not take pictures.
errors-model-declined = The model declined to answer this.
errors-model-broken = The model's answer broke off or was empty.
errors-quota-exceeded = Today's share of answers is used up.
errors-fold-refused = The summary that was written was not good enough.
errors-import-refused = The file cannot be imported; nothing was changed.
errors-document-unreadable = I can't read this file.
errors-silent = The model did not answer within { $seconds } seconds.
errors-no-connection = The model cannot be reached right now.
errors-no-credit = The account with the model's provider has no credit left.
errors-no-more-requests = The model is busy; please try again in a moment.
errors-no-more-requests-wait = { $seconds ->
    [one] The model is busy; please try again in { $seconds } second.
   *[other] The model is busy; please try again in { $seconds } seconds.
 }
errors-own-fault = The model's server has a fault; please try again in a moment.
errors-key = The model's server does not let me in.
errors-forbidden = The model's server does not let me use this model.
errors-unknown-model = The server has no model { $name }.
errors-refused-request = The model's server refused the request.
errors-check = Check { $settings }.
errors-set = Set { $setting }.
errors-malformed = The model's answer was malformed.
errors-endless = The model's answer does not end.
errors-empty = The model's answer was empty.
errors-length = The model used all of its allowed length before it answered.
errors-picture = The model cannot open this picture.
errors-no-pictures = The model { $model } takes no pictures.
errors-tools-only = The model went on asking for tools instead of answering.
errors-no-room = A request of { $tokens } tokens has no room for a question.
errors-quota-person = Today's share of { $tokens } tokens is used up. The next one begins at 00:00 UTC, in { $wait }.
errors-quota-bot = This bot's share for today is used up. The next one begins at 00:00 UTC, in { $wait }.
errors-hours-minutes = { $hours } h { $minutes } min
errors-minutes = { $minutes } min
errors-telegram-refused = Telegram refused the message.
errors-telegram-pause = Telegram asks for a longer pause than I can wait for.
errors-telegram-busy = Telegram is too busy.
errors-telegram-token = Telegram does not accept the bot's token.
errors-telegram-unreachable = Telegram cannot be reached.
errors-telegram-unknown = The connection broke after the message was sent: it may have arrived or not.
errors-changed-meanwhile = Something was forgotten, changed or moved meanwhile, or memory was turned off.
errors-local-embedder = Search by meaning does not start here.
errors-embedder-slow = The search model did not answer in time.
errors-embedder-text = The local search model stopped twice at this text.
errors-not-speech = The server sent no recording.
