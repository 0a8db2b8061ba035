# What is said of files that are imported: what they are called, why they are refused, what else is to be known.

import-title-keepsake = an export of mine
import-title-telegram = an export of Telegram Desktop
import-title-chatgpt = an export of ChatGPT
import-title-claude = an export of Claude
import-title-gemini = an export of Gemini
import-title-whatsapp = a chat of WhatsApp
import-title-discord = an export of Discord
import-title-telegram-html = an export of Telegram Desktop in HTML
import-title-generic = a list of conversations
import-title-memories = what another assistant remembers of you
import-file-keepsake = my own export
import-file-telegram = Telegram Desktop's result.json
import-file-chatgpt = ChatGPT's conversations.json
import-file-claude = Claude's export
import-file-gemini = Gemini's MyActivity.json
import-file-whatsapp = a chat of WhatsApp
import-file-discord = Discord's messages
import-file-telegram-html = Telegram Desktop's messages.html
import-file-generic = conversations in JSON or Markdown
import-file-memories = a list of memories
import-kinds-differ = The archive holds exports of different kinds. Please send one at a time.
import-several-own = The archive holds several exports of mine. Please send them one at a time.
import-too-many-messages = The file holds more than { $most } messages. Please send a shorter range of it. Nothing was imported.
import-too-many-facts = The file holds more than { $most } facts. Please send a shorter range of it. Nothing was imported.
import-facts-in-all = With these facts I would know more than { $most } facts about this chat. Nothing was imported.
import-too-many-files = The file holds more than { $most } files. Please send a shorter range of it. Nothing was imported.
import-fact-too-long = facts[{ $number }] is longer than the { $most } characters that a fact may have. Nothing was imported.
import-empty = The file is empty. Nothing was imported.
import-unknown-format = This seems to be { $seems }, but none that I know. I can read { $known }, also packed as .zip or .gz. Nothing was imported.
import-not-utf8 = The file is not text in UTF-8: line { $line }. Nothing was imported.
import-damaged-archive = The archive is damaged or locked. Nothing was imported.
import-unpacked = Unpacked, the file has more than { $megabytes } MB. Nothing was imported.
import-many-in-archive = The archive holds more than { $most } files. Nothing was imported.
import-no-export = The archive holds no export that I know. I can read { $known }. Nothing was imported.
import-too-much = The file holds more than I can read at once. Please send a shorter range of it. Nothing was imported.
import-died = This file takes more memory or time than I may spend on it. Please send a shorter range of it. Nothing was imported.
import-not-json = The file is not valid JSON: line { $line }, column { $column }: { $why }. Nothing was imported.
import-too-deep = it is nested too deeply
import-out-of-bounds = a number is out of all bounds
import-quotes-expected = a name in quotes was expected
import-follows = something follows after the end
import-expected = '{ $what }' was expected
import-expected-either = '{ $what }' or '{ $other }' was expected
import-not-telegrams = { $where }id is not a number, so the file is not Telegram's. Nothing was imported.
import-wrong = { $where } (line { $line }): { $why }. Nothing was imported.
import-no-object = it is not an object
import-no-conversation = it is not a conversation
import-no-list = it is not a list
import-no-time = it is not a time
import-circle = it leads in a circle
import-missing = it is missing
import-its-no-number = its '{ $name }' is not a number
import-its-no-date = its '{ $name }' is not a date
import-its-no-text = its '{ $name }' is not a text
import-row = { $row }: { $why }
import-its-missing = its '{ $name }' is missing
import-its-no-truth = its '{ $name }' is neither true nor false
import-its-no-whole = its '{ $name }' is not a whole number within its bounds
import-its-no-choice = its '{ $name }' is none of the texts that may stand there
import-its-no-list = its '{ $name }' is not a list of what belongs there
import-its-no-object = its '{ $name }' is not an object
import-its-no-figures = its '{ $name }' is not an object of numbers alone
import-its-no-summary = its '{ $name }' names a summary that is not there
import-its-twice = its '{ $name }' is there twice
import-its-no-role = its 'role' is none of user, assistant, system
import-text-neither = its 'text' is neither a text nor a list of pieces
import-piece-wordless = a piece of its 'text' has no words
import-version = This export is of version { $version }; I know { $known }. Please update the program.
import-no-owner = The export does not say whose it is ('owner'). Nothing was imported.
import-no-part = The export does not say which of its files this is ('part'). Nothing was imported.
import-damaged = The export is damaged: { $why }. Nothing was imported.
import-busy = A summary or another import is being made right now. Please try again in a moment.
import-chat-saved = Saved Messages
import-chat-replies = Replies
import-chat-nameless = a chat without a name
import-chat-held = { $name } ({ $count })
import-holds-chats = It holds { $chats } chats: { $named }.
import-holds-more = { $named } and { $more } more
import-holds-conversations = It holds { $count } conversations.
import-none-yours = None of its messages is yours (your Telegram id is { $id }).
import-wordless = { $count ->
    [one] { $count } message without words (pictures, voice, files) is left out.
   *[other] { $count } messages without words (pictures, voice, files) are left out.
 }
import-service = { $count ->
    [one] { $count } service message (calls, pins, joins) is left out.
   *[other] { $count } service messages (calls, pins, joins) are left out.
 }
import-retained = { $days ->
    [one] My operator has me erase what was archived more than { $days } day ago: { $old } of these messages would be erased again.
   *[other] My operator has me erase what was archived more than { $days } days ago: { $old } of these messages would be erased again.
 }
import-already = This file is in already; still to come: { $missing }.
import-signed-here = This bot made the file, and it is unchanged.
import-signed-altered = This bot made the file, but it was changed since.
import-signed-elsewhere = This bot did not sign the file.
import-instructions = It holds instructions that I would follow from now on, as if you had given them: { $shown }.
import-instructions-more = { $shown }, and { $more } more
import-differs = It cannot come back as it was, since { $why }. { $lost }.
import-differs-another = it is the export of another memory
import-differs-holds = this memory holds something already
import-differs-earlier = it is one of several files that an earlier version wrote
import-lost-numbers = Its messages get new numbers and count as imported
import-lost-summaries = { $count ->
    [one] its { $count } summary is made again without a model
   *[other] its { $count } summaries are made again without a model
 }
import-lost-profile = its profile is left out
import-lost-versions = earlier texts of edited messages are left out
import-send-others = Please send its other files too.
import-part = part { $number }
import-part-others = { $count } others
import-part-following = whatever follows part { $last }
import-seems-json = data in JSON
import-seems-html = a web page
import-seems-csv = a table
import-seems-text = plain text
import-place = { $where } (line { $line }): { $why }
import-refused = { $why }. Nothing was imported.
import-damaged-skipped = Damaged conversations left out: { $count }. The first one: { $first }.
import-nobody = None of them
import-no-memories = I find no memories in this text. Nothing was imported.
import-gemini-date = I cannot read the dates on this page. Please choose JSON instead of HTML for “My Activity” in Google Takeout. Nothing was imported.
import-order-dmy = { $example }: the day comes first
import-order-mdy = { $example }: the month comes first
import-chats-others = Smaller chats: { $chats } ({ $count })
import-chat-here = The chat with me ({ $count }) is left out: what was said here is not stored twice.
import-not-answered = Please answer my questions about this file first. Nothing was imported.
import-ask-chats = Which chats shall I take? Press one to choose it or not.
import-ask-speaker = Which of the speakers are you?
import-ask-order = How does this file write dates?
import-ask-facts = It also holds facts about you. All of these would be kept; press a number to drop one.
