# The model that needs no network and no key: it quotes, and says what it is.

offline-marker = I am the offline model: I can only quote what you told me.
offline-remembered = From what I remember:
offline-unknown = I remember nothing about that.
offline-nearest = The nearest that I remember:
offline-noted = I have read that.
offline-hello = Hello!
