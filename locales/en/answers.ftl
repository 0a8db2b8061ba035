# The buttons under an answer, what they lead to, and what stands in the place of an answer that is not there.

answers-offer = You changed your last message. Shall I answer it again?
answers-again = Answer again
answers-too-late = The conversation has gone on, so that answer stays. Just ask again.
answers-answering = Answering again:
# What a press of "Continue" says for its person, and what memory holds of it.
answers-go-on = Go on where you stopped.
answers-memory-off = Memory is off. Turn it on
answers-nothing-to-stop = Nothing is being written that could be stopped.
answers-pressed-already = You have pressed this already.
answers-try-again = Try again
answers-send-again = I no longer have the message that this was about. Please send it again.
answers-regenerate = Regenerate
answers-continue = Continue
answers-why = Why?
answers-stop = Stop
answers-stopped = ⏹ Stopped.
answers-stopped-message = Stopped.
answers-broken-off = ⚠️ This answer was broken off.
answers-broken-off-again = ⚠️ This answer was broken off. A new one follows soon.
answers-in-file = 📄 This answer is too long for messages: it is in the file below.
answers-file = The whole answer.
answers-empty = The answer was empty.
answers-listen = Listen
answers-nothing-to-say = There are no words in this message that I could speak.
