# A message of an admin to everybody. broadcast-words: words after /admin that begin one.

broadcast-write = Write to everyone
broadcast-question = Write what everyone is to read. You see it again before it is sent. /cancel leaves.
broadcast-nobody = There is nobody else to write to.
broadcast-too-long = That is too long: at most { $most } characters.
broadcast-confirm = People who get this: { $people }
broadcast-whom = Groups do not get it, nor people of whom nothing is stored.
broadcast-send = Send
broadcast-cancel = Cancel
broadcast-cancelled = Nothing was sent.
broadcast-sending = It is being sent.
broadcast-done = It was sent.
broadcast-stopped = Stopped.
broadcast-arrived = Arrived: { $arrived } of { $people }
broadcast-gone = Blocked me, or never wrote to me: { $people }
broadcast-unknown = Not known whether it arrived; it is not sent twice: { $people }
broadcast-stop = Stop
broadcast-words = broadcast
