offline-marker = Я офлайн-модель: могу только цитировать твои слова.
offline-remembered = Вот что я помню:
offline-unknown = Об этом я ничего не помню.
offline-nearest = Самое близкое из того, что я помню:
offline-noted = Прочитано.
offline-hello = Привет!
