transfer-nothing = There is nothing to export.
transfer-not-private = I could not write to you in private. Open a chat with me, press Start, and send { $command } here again.
transfer-anonymous = You write as the group, so I do not know whom to send it to. Send /export under your own name.
transfer-sent = I have sent it to you in private.
transfer-ask-for-file =
    Now send me the file, within 10 minutes. I read:
    • an export of mine, Telegram Desktop (JSON or HTML), WhatsApp, Discord,
    • ChatGPT and Claude (the .zip of their export), Gemini (“My Activity” of Google Takeout, AI Studio),
    • conversations in JSON or Markdown.

    At most 20 MB, also .zip or .gz. Nothing is stored before you agree.
transfer-as-reply = Send it as a reply to this message.
transfer-no-file = I no longer see the file. Please send it again with /import as its caption.
transfer-left = Nothing was imported.
transfer-again = What was imported stays; send the file again to continue.
transfer-incognito = Nothing is written while you are incognito. /incognito ends that.
transfer-import = Import
transfer-cancel = Cancel
transfer-importing = Importing…
transfer-importing-so-far = Importing… { $done } of { shared-messages }.
transfer-stopped = The import stopped after { shared-messages }.
transfer-not-begun = The import did not begin.
transfer-moved = The memory was moved or erased in the meantime.
transfer-plan-none = This is { $name }.
transfer-plan = This is { $name } with { $what }.
transfer-plan-whole = Nothing else is stored here, so it would all come back.
transfer-plan-part = Its messages come back now, all else with the last file. Please send the others too. Still to come: { $missing }.
transfer-done-part = Done: { shared-messages } came back as they were. Still to come: { $missing }.
transfer-adds = It would add { $what }.
transfer-adds-dated = It would add { $what } ({ $when }).
transfer-as-history = They keep their dates, and no model is asked. I find them when they matter.
transfer-all-known = All of it is known already. There is nothing to import.
transfer-empty = It holds no messages: there is nothing to import.
transfer-turns-on = Memory is off; importing turns it on.
transfer-known = { shared-messages } known already.
transfer-done-whole = Done: { shared-messages } came back as they were, and everything that belongs to them.
transfer-done = Done: { $what } added.
transfer-ask-me = Ask me about them.
transfer-new-facts = New facts: { $facts }.
transfer-settings = your settings
transfer-of-group = The memory of the group “{ $title }”.
transfer-caption = For machines (JSON), everything that I keep here: { $what }. /import reads it again.
transfer-plan-reminders = Reminders that would be set: { $reminders }
transfer-paste = From another assistant
transfer-paste-how = Copy my next message into the other assistant, and paste its answer here within 10 minutes. You see every fact before I keep it.
transfer-paste-prompt = List everything that you know and remember about me: facts, preferences, people, projects, dates. Write one a line, in the form [date, if known] - content. Leave nothing out, and add nothing else.
transfer-choose-none = Choose none
transfer-choose-all = Choose all
transfer-go-on = Continue
transfer-pause = Pause
transfer-stopping = I stop in a moment.
transfer-paused = It is paused; what was imported stays.
transfer-ended = It is ended; what was imported stays. /forget can remove it.
transfer-minutes-left = Minutes left: about { $minutes }.
transfer-for-whom = Who is the export for? To read: Markdown, and a page with a search field. For a machine: JSON, which /import reads again.
transfer-for-me = For me
transfer-for-a-machine = For a machine
transfer-caption-zip = To read: { $what }, as Markdown, one file a month. It opens as a vault in Obsidian.
transfer-caption-html = To read in a browser, even offline: { $what }, with a search field.
transfer-page-title = My memory
transfer-page-search = Search
transfer-page-profile = Profile
transfer-page-facts = Facts
transfer-page-summaries = Summaries
transfer-page-me = Me
