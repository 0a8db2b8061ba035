# The model that needs no network and no key: it quotes, and says what it is.

offline-marker = I am the offline model: without network or key I can only quote what you told me.
offline-remembered = From what I remember:
offline-unknown = I find nothing about that in what I remember.
offline-nearest = The nearest that I remember:
offline-noted = Noted.
offline-hello = Hello!
