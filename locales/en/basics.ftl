basics-hello = Hello! I am Keepsake: a chat bot that remembers. Just write to me; earlier talk is summarised, stays searchable, and comes back when it matters.
basics-hello-group = Hello! I am Keepsake: a chat bot that remembers. Here I answer whoever mentions me or replies to me. This group has a memory of its own, which its admins turn on and off; what I know from private chats never comes here.
basics-stored = While memory is on, I store what you write to me and what I answer, the summaries I make of it, and your settings: in files on the computer that runs me (SQLite or JSON, as you choose). To answer, I send your message and what matters to it to the language model that my operator has chosen. While memory is off, I store no messages, and this conversation is forgotten when I restart.
basics-stored-group = I store nothing that is not addressed to me. While memory is on, I store what members say when they mention me or reply to me, with their names, what I answer, and the summaries I make of it: in files on the computer that runs me. To answer, I send that message and what matters to it to the language model that my operator has chosen. While memory is off, I store no messages. A member erases their own words by replying to them with /forget; admins erase anything, and export everything to their own private chat.
basics-reminders = Reminders are kept until I have sent them or you cancel them, also while memory is off.
basics-forgetting = /forget erases a message, a day or everything for good.
basics-not-mine = What Telegram and the provider of the model keep is not in my power.
basics-mode-on = Memory is on here, kept in { $storage }.
basics-mode-incognito = Incognito is on here: memory is read, nothing is written.
basics-mode-off = Memory is off here.
basics-is-on = Memory is on.
basics-is-off = Memory is off until you turn it on: with the button below, or with /summary to choose how.
basics-is-off-group = Memory is off until an admin turns it on: with the button below, or with /summary to choose how.
basics-turn-on = Turn memory on
basics-see-help = /help lists what I can do.
basics-just-write = Just write to me to get an answer.
basics-just-mention = In a group I answer when you mention me or reply to me; the group has a memory of its own.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (admins only)
basics-retention = My operator has set that what is summarised and older than { $days ->
    [one] a day
   *[other] { $days } days
 } is erased for good.
