search-how = /search СЛОВА находит прежние сообщения по словам и смыслу. В кавычках — дословно: /search "ореховое масло"
search-not-configured = Искать негде: память здесь ни разу не включали. Настроить: /summary
search-no-more = Больше ничего нет.
search-nothing = Ничего не нашлось. Попробуй другие слова или поменьше слов.
search-so-far = { $shown } из { $total }
search-more = Ещё
search-in-all = Во всех разговорах
search-close = Сообщений с такими словами нет. Близко по смыслу:
