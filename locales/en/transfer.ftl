transfer-admins-export = Only the admins of this group can export its memory.
transfer-admins-import = Only the admins of this group can import into its memory.
transfer-nothing = There is nothing to export: nothing is stored.
transfer-not-private = I could not write to you in private, and I do not post what this group remembers in the group. Open a chat with me, press Start, and send /export here again.
transfer-anonymous = You write as the group, so I do not know who should get the file. Send /export under your own name.
transfer-sent = I have sent it to you in private.
transfer-ask-for-file =
    Now send me the file, within 10 minutes:
    • an export of mine (/export),
    • result.json of Telegram Desktop (a chat's menu, Export chat history, format JSON),
    • conversations.json of ChatGPT (Settings, Data controls, Export; the .zip will do).

    At most 20 MB; .zip and .gz are fine. First I say what it would add; nothing is stored before you agree.
transfer-as-reply = Send it as a reply to this message.
transfer-no-file = I no longer see the file. Please send it again, with /import as its caption.
transfer-left = Nothing was imported.
transfer-not-awaited = I no longer wait for a file. Nothing was imported.
transfer-again = What was imported stays; send the file again to continue.
transfer-incognito = Nothing is written while you are incognito. /incognito ends that; then send the file again.
transfer-import = Import
transfer-cancel = Cancel
transfer-importing = Importing…
transfer-importing-so-far = Importing… { $done } of { shared-messages }.
transfer-stopped = The import stopped after { shared-messages }.
transfer-not-begun = The import did not begin.
transfer-moved = The memory was moved or erased in the meantime.
transfer-plan = This is { $name } with { shared-messages }.
transfer-plan-facts = This is { $name } with { shared-messages } and { shared-facts }.
transfer-plan-whole = Nothing else is stored here, so it would come back as it was: messages, summaries, facts, settings.
transfer-plan-part = It is one of several files, and would come back as it was: its messages now, and summaries, facts and settings with the last file. Please send the others too, in any order. Still to come: { $missing }.
transfer-done-part = Done: { shared-messages } came back as they were. Still to come: { $missing }.
transfer-adds = It would add { shared-messages }.
transfer-adds-day = It would add { shared-messages } of { $day }.
transfer-adds-days = It would add { shared-messages } from { $first } to { $last }.
transfer-adds-facts = It would add { shared-facts }.
transfer-as-history = They would be archived as history, each under its date: they are found when they matter, and summarised from their own sentences, without a model (/summary_rebuild can improve that later).
transfer-all-known = All of it is known already. There is nothing to import.
transfer-empty = It holds no messages: there is nothing to import.
transfer-turns-on = Memory is off; importing turns it on.
transfer-known = { $messages ->
    [one] { shared-messages } is known already and stays as it is.
   *[other] { shared-messages } are known already and stay as they are.
 }
transfer-done-whole = Done: { shared-messages } came back as they were, and everything that belongs to them.
transfer-done = Done: { $what } added.
transfer-ask-me = Ask me about them.
transfer-its-facts = { $facts ->
    [one] Its fact would be imported too.
   *[other] Its facts would be imported too.
 }
transfer-its-facts-known = { $facts ->
    [one] Its fact is known already.
   *[other] Its facts are known already.
 }
transfer-new-facts = { $facts ->
    [one] { shared-facts } that is not known yet would be imported too.
   *[other] { shared-facts } that are not known yet would be imported too.
 }
transfer-settings = your settings
transfer-of-group = The memory of the group “{ $title }”.
transfer-caption = Everything that I keep here: { $what }. It is text that you can read; /import reads it again.
transfer-caption-gz = Everything that I keep here: { $what }. It is compressed text; /import reads it again.
transfer-plan-reminders = Reminders that would be set: { $reminders }
