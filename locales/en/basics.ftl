basics-hello = Hello, I am Keepsake: a chat bot that remembers what you tell it.
basics-stored = While memory is on, I keep your messages, my answers, summaries and settings on the computer that runs me. To answer, I send your message and what goes with it to a language model. With memory off, I forget this conversation at a restart.
basics-stored-group = In this group I keep only what is said to me, and the names of those who said it. Nothing from private chats comes here. Members erase their own words by replying to them with /forget; admins erase anything.
basics-reminders = Reminders stay until they are sent or cancelled.
basics-forgetting = /forget erases for good, but not what Telegram and the model's provider keep.
basics-mode-on = Memory is on, kept in { $storage }.
basics-mode-incognito = 🕶 Incognito is on: I read my memory, and write nothing to it.
basics-mode-off = Memory is off: I store nothing until it is turned on.
basics-turn-on = Turn on memory
basics-button-stored = What is stored
basics-button-help = Help
basics-button-more = More
basics-see-help = /help says what I can do, and /privacy what I store.
basics-just-write = Just write to me to get an answer.
basics-just-mention = Mention me or reply to me, and I answer.
basics-row = { $command } – { $description }
basics-retention = What is summarised and older than { $days ->
    [one] a day
   *[other] { $days } days
 } is erased for good.
