# /new and /chats.

chats-begun = Здесь начинается новый разговор. Что я о тебе знаю, остаётся. Все разговоры: /chats
chats-begun-off = Начинаем сначала. Память выключена: ничего не сохранено.
chats-too-long = В названии может быть не больше { $most } символов.
chats-which-title = Как его назвать?
chats-example = Поездка в Лиссабон
chats-renamed = Теперь он называется «{ $title }».
chats-gone = Этого разговора больше нет.
chats-opened = Продолжаем здесь.
chats-off = Память выключена: есть только этот разговор. Включить её можно в /settings
chats-none = Разговоров пока нет.
chats-heading = Твои разговоры. Нажми на один, чтобы продолжить его.
chats-line = { $number }. { $title } · { $count } · { $date }
chats-untitled = Новый разговор
