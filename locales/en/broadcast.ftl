# A message of an admin to everybody. broadcast-words: words after /admin that begin one.

broadcast-write = Write to everyone
broadcast-question = Write what everyone is to read. You see it again before it is sent.
broadcast-nobody = There is nobody else.
broadcast-too-long = At most { $most } characters.
broadcast-confirm = People who get this: { $people }
broadcast-send = Send
broadcast-cancel = Cancel
broadcast-cancelled = Nothing was sent.
broadcast-sending = It is being sent.
broadcast-done = It was sent.
broadcast-stopped = Stopped.
broadcast-arrived = Arrived: { $arrived } of { $people }
broadcast-gone = Not reached: { $people }
broadcast-unknown = Perhaps reached: { $people }
broadcast-stop = Stop
broadcast-words = broadcast
