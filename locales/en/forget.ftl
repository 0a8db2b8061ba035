forget-members = To take back your own words, reply to them with /forget.
forget-usage =
    What shall I forget?
    
    • a message: reply to it with /forget
    • days: /forget yesterday, /forget 1 May – 3 June
    • what you search for: /forget WORDS
    • all of it: /forget everything
    
    I ask before I erase anything.
forget-final = This cannot be undone.
forget-clean = Nothing of it is left in the bot's files.
forget-traces = Traces may be left in the bot's files for now; they are still being cleaned.
forget-kept = Nothing was forgotten.
forget-gone = The bot's memory holds nothing of this.
forget-former = That message is from before this group was upgraded to a supergroup. An admin can erase it with /forget and a few of its words.
forget-no-such-date = There is no such date. Write it like 3 June 2026.
forget-not-in-my-power = Out of the bot's reach: this chat in Telegram, what the model's provider keeps, earlier backups.
forget-today = Today
forget-everything = Everything
forget-none-found = No message here has these words.
forget-elsewhere = /search looks in all conversations; /chats opens one.
forget-which = Which of these shall I forget?
forget-all = All { $number }
forget-maybe-more = There may be more.
forget-none-of-them = None of them
forget-keep-it = Keep it
forget-ask-this = Shall I forget this?
forget-it = Forget it
forget-them-too = Forget them too
forget-all-of-it = Forget everything
forget-turn = Forget question and answer
forget-turns = Forget questions and answers
forget-only-message = Only this message
forget-only-messages = Only these messages
forget-erases = This erases: { $what }.
forget-choices-stay = Time zone, own style and wishes for summaries are erased, too. Other settings stay.
forget-done = Forgotten.
forget-line = #{ $id } · { $date } · { $speaker }: “{ $text }”
forget-profiles = { $profiles ->
    [one] { $profiles } version of your profile
   *[other] { $profiles } versions of your profile
 }
forget-versions = { $versions ->
    [one] { $versions } earlier version
   *[other] { $versions } earlier versions
 }
forget-reminders = { $reminders ->
    [one] { $reminders } reminder
   *[other] { $reminders } reminders
 }
forget-answers = { $answers ->
    [one] { $answers } later answer
   *[other] { $answers } later answers
 }
forget-import-stops = An import is running. It stops, and what it brought in is erased, too.
forget-quotes = It is quoted in: { $what }.
forget-words-may-stay = Other messages may hold the same words; /search finds them.
forget-receipt = Forgotten: { $what }.
forget-kept-aside = Damaged or replaced files that are kept here may hold it: { $names }.
# What may be written for it after /forget.
forget-words-everything = everything all
forget-group = Everything: all of this group's memory, of every topic
forget-words-stay = Words of it stay in: { $what }. /search finds them.
