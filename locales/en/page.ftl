# The playground's page. page-try-NUMBER: what a newcomer may say with a tap; page-kind-NAME: what was sent along.

page-title = Keepsake · playground
page-banner = answers by { $model } · served on this machine only
page-offline-model = the offline model (it only quotes what it remembers)
page-chats = Chats
page-chat = Chat
page-memory = Memory
page-views = Views
page-conversation = Conversation
page-messages = Messages
page-topics = Topics
page-topic-general = General
page-back = Back to chats
page-start-over = Start over
page-show-memory = Show memory
page-jump = Jump to the newest message
page-drop = Drop to send
page-ok = OK
page-cancel = Cancel
page-add = Add
page-first-name = First name
page-app-language = Language of their app
page-add-person = Add a person
page-start-over-with = Start over with { $title }?
page-start-over-hint = The chat becomes empty, and everything that is remembered of it is erased.
page-fresh-start = A fresh start.
page-in-private = In private with the bot, as
page-groups = Groups
page-no-messages = No messages yet
page-you-said = You: { $words }
page-unread = { $number } unread
page-theme-auto = Theme: automatic
page-theme-light = Theme: light
page-theme-dark = Theme: dark
page-language = Language of this page
page-language-auto = Automatic: { $language }
page-today = Today
page-yesterday = Yesterday
page-unknown = Unknown
page-new-messages = New messages
page-welcome-back = Welcome back. What is above comes from memory.
page-waiting = waiting for the server…
page-typing = typing…
page-typing-name = { $name } is typing…
page-writing-as = bot · you write as { $name }
page-members = { $number ->
    [one] { $number } member
   *[other] { $number } members
 }
page-members-and-bot = { $number ->
    [one] { $number } member and the bot
   *[other] { $number } members and the bot
 }
page-welcome-private = It remembers what you tell it, once you let it. Press Start to begin; what you say goes to the model named at the top.
page-welcome-group = Mention { $bot } or reply to it, and it answers.
page-writing = The bot is writing
page-edited = edited
page-photo-of = Photo: { $caption }
page-kind-photo = Photo
page-kind-voice = Voice message
page-kind-sticker = Sticker
page-kind-animation = Animation
page-kind-video = Video
page-kind-video_note = Video message
page-kind-audio = Audio
page-kind-file = File
page-download = Download { $name }
page-reply-key = Reply (R)
page-copy-key = Copy text (C)
page-edit-key = Edit (E)
page-copied = Copied
page-copy = copy
page-copy-code = Copy code
page-code = Code
page-code-in = Code in { $language }
page-hidden-text = Hidden text, press to show
page-show-all = Show all
page-show-less = Show less
page-joined = { $names } joined the group
page-left = { $name } left the group
page-topic-created = Topic created: { $name }
page-group-renamed = The group is now called { $name }
page-start = Start
page-message = Message
page-message-group = Message, or { $bot }
page-suggestions = Suggestions
page-tries = Things to try
page-try-1 = I'm allergic to walnuts.
page-try-2 = My sister Nora lives in Lisbon.
page-try-3 = What am I allergic to?
page-try-4 = What do you know about me?
page-commands = Commands
page-attach = Attach a file
page-send = Send
page-send-key = Send (Enter)
page-as = as
page-speak-as = Speak as
page-edit-message = Edit message
page-reply-to = Reply to { $name }
page-cancel-key = Cancel (Esc)
page-not-sent = Not sent: the server does not answer.
page-no-answer = The server does not answer.
page-answered = The server answered { $status }.
page-caption-long = A caption has at most { $most } characters.
page-edit-long = An edited message has 1 to { $most } characters.
page-name-long = A name has 1 to { $most } characters.
page-people-many = There are { $most } people already.
page-memory-unreadable = The memory cannot be read right now.
page-remembered-about = What is remembered about { $name }
page-remembered-in = What is remembered in { $title }
page-on = on
page-off = off
page-active = { $number } active
page-archived = { $number } archived
page-memory-off = Memory is off until its owner turns it on: send /summary in the chat.
page-until-summary = Until the next summary
page-turns-of = { $done } of { $total ->
    [one] { $total } turn
   *[other] { $total } turns
 }
page-read-of = { $done } of { $total } of your messages
page-summarising = Older messages are being summarised now.
page-summary-failed = The last summary could not be made: { $error }
page-summaries = Summaries
page-summaries-none = None yet. Once there are enough messages, they become a first summary; nothing is erased.
page-summaries-count = { $active } active, { $total } in all
page-summaries-level = Summaries of level { $level }
page-summary-active = Summary { $id } of level { $level }, { $messages }, active
page-summary-passive = Summary { $id } of level { $level }, { $messages }, part of a later summary
page-standing-active = In the prompt while it is active.
page-standing-higher = Part of a higher summary; kept, no longer in the prompt.
page-standing-replaced = A newer version replaced it; kept, no longer in the prompt.
page-version = Version { $number }
page-version-of = Version { $number } ({ $policy }): { $chain }
page-quality = Quality { $score }
page-part-retention = names and numbers kept { $score }
page-part-novelty = invents nothing { $score }
page-part-coverage = turns covered { $score }
page-part-compression = shortened { $score }
page-part-repetition = repeats nothing { $score }
page-compressed = { $number ->
    [one] summarised once
   *[other] summarised { $number } times
 }
page-reason-threshold = enough turns were waiting
page-reason-now = asked for
page-reason-idle = during a pause
page-reason-pressure = the prompt was nearly full
page-reason-cut = turns no longer fitted
page-reason-upwards = enough summaries were waiting
page-reason-rebuild = made again
page-reason-import = imported
page-tokens-made = { $read } → { $written } tokens
page-messages-count = { $number ->
    [one] { $number } message
   *[other] { $number } messages
 }
page-messages-newest = newest { $shown } of { $total }
page-messages-none = Nothing remembered yet.
page-messages-off = Nothing is stored while memory is off.
page-messages-archived = { $messages } under summary { $id }
page-messages-active = { $messages }, word for word in the prompt
page-message-active = Word for word in the prompt while it fits.
page-message-archived = Under summary { $id }: still searchable, word for word.
page-legend-person = person
page-legend-bot = bot
page-legend-colour = each colour is one summary
page-profile = Profile
page-versions = { $number ->
    [one] { $number } version
   *[other] { $number } versions
 }
page-versions-earlier = { $number ->
    [one] { $number } earlier version
   *[other] { $number } earlier versions
 }
page-by-model = by { $model }
page-facts = Facts
page-facts-count = { $holding } current, { $gone } outdated or removed
page-fact-since = since { $day }
page-fact-from = from { $sources }
page-fact-by-hand = added by hand
page-fact-earlier = earlier text
page-fact-pinned = pinned
page-fact-deleted = deleted
page-fact-before = before: { $number }
page-kind-personal = personal
page-kind-preference = preference
page-kind-knowledge = knowledge
page-kind-event = event
page-kind-instruction = instruction
page-learning-running = Learning from imported history
page-learning-partly = Learned from part of imported history
page-learning-done = Learned from imported history
page-prompt = Last prompt
page-prompt-none = Appears with the next answer.
page-tokens-of = { $tokens } of { $most } tokens
page-cut = Did not fit
page-cut-turns = earlier turns
page-cut-archived = archived messages
page-cut-document = a document
page-cut-summary = a summary
page-found = Brought back
page-found-count = { $number ->
    [one] { $number } earlier message
   *[other] { $number } earlier messages
 }
