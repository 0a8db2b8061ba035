summaries-not-configured = Память ещё не настроена. Настроить: /summary. Включить с обычными настройками: /summary_on
summaries-is-off = Память выключена. Включить: /summary_on
summaries-none = Сводок пока нет.
summaries-all-declined = Поставщик модели отклонил эти сообщения, поэтому в сводки они не вошли.
summaries-off = Память выключена. Сохранённое остаётся; до команды /summary_on я ничего не читаю и не добавляю.
summaries-on = Память включена: я храню её в { $storage } и составляю сводку раз в { shared-turns }. Запоминаю то, что говорится с этого момента.
summaries-status-enabled = Память: включена
summaries-status-disabled = Память: выключена
summaries-status-storage = Хранилище: { $storage }
summaries-status-threshold = Сводка: раз в { shared-turns }
summaries-status-since = Сообщений с последней сводки: { $number }
summaries-status-total = Всего сообщений: { $number }
summaries-status-archived = Уже обобщено сообщений: { $number }
summaries-status-active = Сводок: { $number }
summaries-status-level = Слоёв сводок: { $number }
summaries-status-learning = Извлекаю факты из импортированной истории: { $done } из { $total } твоих сообщений.
summaries-status-saved = Сэкономлено токенов: около { $tokens }
summaries-status-index = Поисковый индекс: { $done } из { $messages ->
    [one] { $messages } сообщения
   *[other] { $messages } сообщений
 }
summaries-status-unreadable = Находятся только по словам: { shared-messages }
summaries-status-words-only = Поиск по смыслу сейчас не работает, по словам работает.
summaries-status-failure = Последняя неудача: { $date }: { $error } (ничего не потеряно)
summaries-status-one-of = Подсчитан только открытый разговор; все { $number } покажет /chats
summaries-status-json-large = Когда сообщений больше { $most }, лучше SQLite: /summary перенесёт всё.
summaries-utc = { $date } UTC
summaries-folded = Готово: { shared-summaries }. Посмотреть: /summary_show
summaries-nothing = Обобщать нечего: нового нет.
summaries-busy = Прямо сейчас составляется сводка.
summaries-not-made = Не удалось составить сводку.
summaries-failed = { $why } Ничего не потеряно, я попробую ещё раз.
summaries-kind-1 = Сводка
summaries-kind-2 = Сводка более ранних сводок
summaries-kind-3 = Обзор самого давнего
summaries-status-poor = В последней сводке многое упущено. Поиск по-прежнему находит каждое слово.
