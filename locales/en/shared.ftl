# Numbers with what they count, and words that several families need. Ids and dates come as text.

shared-messages = { $messages ->
    [one] { $messages } message
   *[other] { $messages } messages
 }
shared-turns = { $turns ->
    [one] { $turns } message of yours
   *[other] { $turns } of your messages
 }
shared-facts = { $facts ->
    [one] { $facts } fact
   *[other] { $facts } facts
 }
shared-summaries = { $summaries ->
    [one] { $summaries } summary
   *[other] { $summaries } summaries
 }
shared-and = { $first } and { $last }
shared-or = { $first } or { $last }
shared-comma = ,{ " " }
shared-quoted = “{ $text }”
shared-yesterday = yesterday
shared-today = today
shared-tomorrow = tomorrow
shared-you = you
shared-bot = the bot
shared-tool = a tool
shared-admins-only = Only the admins of this group can do that.
shared-dead-button = This button does nothing any more. Please ask again.
shared-not-yours = This button belongs to somebody else.
shared-failed = That did not work. Please try again.
shared-takes-nothing = { $command } takes no words after it. Send it alone.
shared-unknown = I do not know the command { $command }. /help lists all.
shared-in-private = { $command } works only in our private chat.
shared-once-more = Please try again; /cancel leaves everything as it is.
shared-span = { $first } to { $last }
shared-no = No
shared-near = Did you mean { $near }?
shared-too-long = That has { $length } characters; at most { $most } are allowed. Nothing was changed.
