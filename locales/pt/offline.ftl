offline-marker = Eu sou o modelo off-line: só posso citar o que você me contou.
offline-remembered = É disto que eu me lembro:
offline-unknown = Não me lembro de nada sobre isso.
offline-nearest = O mais parecido de que me lembro:
offline-noted = Li isso.
offline-hello = Olá!
