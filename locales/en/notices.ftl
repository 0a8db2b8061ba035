# Sentences next to an answer, or instead of one.

notices-incognito = 🕶 incognito
notices-cut = Your message is longer than the model can take at once: it was given the beginning and the end, without the middle.
notices-stored-whole = It is stored whole.
notices-truncated = The model stopped at its own length limit, so the answer may end early.
notices-store = I cannot write to my memory right now. I go on from what I remember of this conversation, and store it as soon as that works again.
notices-unread = I could not look into my memory for this: { $why }. I answered from what I remember of this conversation; your message is kept.
notices-indexing = I am indexing your earlier messages again, so for a minute or two I may overlook some of them. Nothing is lost.
notices-fold = I could not summarise our earlier talk: { $why } Nothing is lost: all messages stay as they are, and I try again after your next message.
notices-kept = Your message is kept.
notices-failed = I could not answer: { $why } Please try again in a moment.
notices-failed-kept = I could not answer: { $why } Your message is kept; write again when you like.
notices-error = (error { $number })
notices-went-wrong = Something went wrong here
notices-stranger = This bot answers only people its operator has let in. Your Telegram id is { $id }: give it to the operator to be added.
notices-too-much = I have { $most } messages of yours that are not answered yet. I did not take this one, and I take no more until I have caught up. Please send it again then.
notices-former = This button is from before the group became a supergroup. Please send the command again.
notices-set-aside = I stopped twice in the middle of my work on this file, so I have set it aside and have not opened it again. What was imported before stays. If you are sure that the file is in order, please send it once more.
notices-mentioned = Yes? Write what you need into the message that mentions me.
