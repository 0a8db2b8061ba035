# Sentences next to an answer, or instead of one.

notices-incognito = 🕶 incognito
notices-cut = Your message is too long for the model: it got the beginning and the end, without the middle.
notices-stored-whole = It is stored whole.
notices-truncated = The model stopped at its own limit, so the answer may end early.
notices-store = I cannot write to my memory right now. I go on from this conversation, and store it as soon as I can.
notices-unread = I could not look into my memory: { $why }. I answered from this conversation; your message is kept.
notices-indexing = I am indexing your earlier messages again, so I may miss some for a minute. Nothing is lost.
notices-fold = I could not summarise our earlier talk: { $why } Nothing is lost; I try again after your next message.
notices-kept = Your message is kept.
notices-failed = I could not answer: { $why } Please try again in a moment.
notices-failed-kept = I could not answer: { $why } Your message is kept; write again when you like.
notices-error = (error { $number })
notices-went-wrong = Something went wrong here
notices-stranger = This bot answers only people whom its admin has let in. Your Telegram id is { $id }: give it to the admin to be let in.
notices-stranger-asked = This bot answers only people whom its admin has let in. I have asked the admin for you (your Telegram id is { $id }).
notices-too-much = I have { $most } messages of yours to answer first. I did not take this one; please send it again later.
notices-former = This button is older than this supergroup. Please send the command again.
notices-set-aside = I stopped twice at this file, so I have set it aside. What was imported before stays. If the file is in order, please send it once more.
notices-mentioned = Yes? Write what you need into the message that mentions me.
