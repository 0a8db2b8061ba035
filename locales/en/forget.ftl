forget-admins-only = Only the admins of this group can do that.
forget-members = Only the admins of this group can do that. To take back your own words, reply to them with /forget.
forget-usage = 
    What shall I forget?
    
    • one message: reply to it with /forget, or /forget #12
    • a fact: /forget fact 12
    • a day or several: /forget yesterday, /forget 2026-01-01 2026-02-01
    • what you search for: /forget WORDS
    • all of it: /forget everything
    
    I ask before I erase anything.
forget-final = This cannot be undone.
forget-clean = Nothing of it is left in my files.
forget-traces = Traces may be left in my files for now. I keep cleaning them.
forget-expired = This question is more than 10 minutes old. Send /forget again.
forget-kept = Nothing was forgotten.
forget-gone = That is not in my memory (any more).
forget-not-stored = I do not have the message that you replied to in my memory.
forget-former = I cannot find that message, for it is older than this supergroup. An admin can erase it with /forget and a few of its words.
forget-no-such-date = There is no such date. Write dates as 2026-01-31.
forget-not-in-my-power = Not in my power: this chat in Telegram (you can delete it there), what the model's provider keeps, and earlier backups.
forget-today = Today
forget-everything = Everything
forget-none-found = I found no message with these words in this conversation.
forget-elsewhere = It may be in another conversation: /search finds it in all of them, and /chats opens one.
forget-which = Which of these shall I forget? I ask once more before I erase it.
forget-all = All { $number }
forget-maybe-more = There may be more: search again when these are done.
forget-none-of-them = None of them
forget-keep-it = Keep it
forget-nothing-there = There is nothing to forget there.
forget-ask-fact = Shall I forget fact { $id }?
forget-ask-day = Shall I forget what was said on { $day }?
forget-ask-days = Shall I forget what was said on { $first } to { $last }?
forget-ask-everything = Shall I forget everything?
forget-ask-everything-group = Shall I forget everything? That is all of this group's memory, of every topic.
forget-ask-this = Shall I forget this?
forget-ask-these = Shall I forget these { shared-messages }?
forget-it = Forget it
forget-them-too = Forget them too
forget-messages = Forget { shared-messages }
forget-all-of-it = Forget everything
forget-turn = Forget question and answer
forget-turns = Forget questions and answers
forget-only-message = Only this message
forget-only-messages = Only these messages
forget-erases = This erases: { $what }.
forget-erases-with-them = With them, this erases: { $what }.
forget-erases-with-turn = With the question or answer that belongs to it, this erases: { $what }.
forget-erases-with-request = With the question or answer that belongs to it, and your request just now, this erases: { $what }.
forget-erases-with-turns = With the questions and answers that belong to them: { $what }.
forget-choices-stay = Your settings stay as they are.
forget-done = Forgotten.
forget-line = #{ $id } · { $date } · { $speaker }: “{ $text }”
forget-reactivated = { shared-messages } next to it stay, and will be summarised again without it.
forget-profiles = { $profiles ->
    [one] { $profiles } version of your profile
   *[other] { $profiles } versions of your profile
 }
forget-versions = { $versions ->
    [one] { $versions } earlier text
   *[other] { $versions } earlier texts
 }
forget-reminders = { $reminders ->
    [one] { $reminders } reminder
   *[other] { $reminders } reminders
 }
forget-answers = { $answers ->
    [one] { $answers } later answer
   *[other] { $answers } later answers
 }
forget-quotes = { $count ->
    [one] { $what } quotes this.
   *[other] { $what } quote this.
 }
forget-quotes-stay = { $count ->
    [one] { $what } quotes it and stays.
   *[other] { $what } quote it and stay.
 }
forget-words-stay = { $messages ->
    [one] Some of its words also stand in { shared-messages } that stays; /search finds them.
   *[other] Some of its words also stand in { shared-messages } that stay; /search finds them.
 }
forget-words-may-stay = Messages that stay may hold some of the same words; /search finds them.
forget-receipt = Forgotten: { $what }. { $rest }
forget-kept-aside = Damaged or replaced files that are kept here may hold it: { $names }.
# What may be written for it after /forget.
forget-words-everything = everything/all
