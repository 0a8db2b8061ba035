# Sentences next to an answer, or instead of one.

notices-incognito = 🕶 incognito
notices-cut = Your message is too long for the model: it got only the beginning and the end.
notices-truncated = The model stopped at its own limit, so the answer may be incomplete.
notices-store = I cannot write to my memory right now. I go on, and store this as soon as I can.
notices-unread = I could not look into my memory: { $why }. I answered from this conversation; your message is kept.
notices-fold = I could not summarise our earlier talk: { $why } Nothing is lost, and I will try again.
notices-kept = Your message is kept.
notices-failed = I could not answer: { $why }
notices-error = (error { $number })
notices-went-wrong = Something went wrong here
notices-stranger = This bot answers only people whom its admin has let in. Give the admin your Telegram id: { $id }
notices-stranger-asked = This bot answers only people whom its admin has let in. I have asked the admin for you (Telegram id { $id }).
notices-too-much = I have { $most } messages of yours to answer first. Please send this one again later.
notices-set-aside = I stopped twice at this file, so I have set it aside. What was imported stays. If the file is in order, please send it once more.
notices-mentioned = Yes? Write what you need in the message that mentions me.
notices-claimed = The bot is yours: you are its admin from now on. If others write to it, you are asked whether to let them in.
