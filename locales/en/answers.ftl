# The buttons under an answer, what they lead to, and what stands in the place of an answer that is not there.

answers-edited = From now on, the new text of this message counts.
answers-edited-command = I do not carry out edited commands. Please send the command again as a new message.
answers-offer = You changed your last message. Shall I answer it again?
answers-again = Answer again
answers-too-late = The conversation has gone on, so that answer stays.
answers-answering = Answering again:
answers-go-on = Go on where you stopped.
answers-memory-off = Memory is off. Turn it on
answers-nothing-to-stop = Nothing is being written right now.
answers-pressed-already = You have pressed this already.
answers-try-again = Try again
answers-send-again = I no longer have that message. Please send it again.
answers-regenerate = Regenerate
answers-continue = Continue
answers-why = Why?
answers-stop = Stop
answers-stopped = ⏹ Stopped.
answers-broken-off = ⚠️ This answer was broken off.
answers-broken-off-again = ⚠️ This answer was broken off. A new one follows soon.
answers-in-file = 📄 The whole answer is in the file.
answers-empty = The answer was empty.
answers-listen = Listen
answers-nothing-to-say = There are no words here to speak.
answers-wrong = What was wrong?
answers-wrong-facts = The facts
answers-wrong-nothing = Nothing
