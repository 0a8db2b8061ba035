basics-hello = Hello, I am Keepsake: a chat bot that remembers what you tell it.
basics-hello-group = Hello, I am Keepsake: mention me or reply to me, and I answer and remember.
basics-stored = While memory is on, I keep your messages, my answers, summaries of them and your settings. They stay on the computer that runs me. To answer, I send your message and what belongs to it to a language model. While memory is off, I keep no messages; a restart makes me forget this talk.
basics-stored-group = I keep nothing that is not said to me. This group has a memory of its own; what I know from private chats never comes here. While memory is on, I keep what members say to me, their names, my answers and summaries. They stay on the computer that runs me. To answer, I send the message and what belongs to it to a language model. Members erase their own words by replying to them with /forget. Admins erase anything, and export everything to their private chat.
basics-reminders = Reminders stay until I have sent them or you cancel them.
basics-forgetting = /forget erases a message, a day or everything for good.
basics-not-mine = I cannot erase what Telegram and the model's provider keep.
basics-mode-on = Memory is on here, kept in { $storage }.
basics-mode-incognito = Incognito is on here: memory is read, nothing is written.
basics-mode-off = Memory is off here.
basics-is-off = Memory is off: I store nothing until you turn it on.
basics-is-off-group = Memory is off: I store nothing until an admin turns it on.
basics-turn-on = Turn on memory
basics-button-stored = What is stored
basics-button-help = Help
basics-button-more = More
basics-see-help = /help says what I can do, and /privacy what I store.
basics-just-write = Just write to me to get an answer.
basics-just-mention = In a group I answer when you mention me or reply to me.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (admins only)
basics-retention = What is summarised and older than { $days ->
    [one] a day
   *[other] { $days } days
 } is erased for good.
