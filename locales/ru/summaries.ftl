summaries-not-configured = Память ещё не настроена. Настроить: /summary. Включить с обычными настройками (SQLite, раз в 20 сообщений): /summary_on
summaries-none = Сводок пока нет. Когда будет следующая, покажет /summary_status
summaries-never-on = Память и так выключена: её ни разу не включали, и ничего не сохранено.
summaries-off-already = Память и так выключена. Сохранённое остаётся.
summaries-off = Память выключена. Сохранённое остаётся, как и твои настройки; до команды /summary_on я его не читаю и ничего не добавляю.
summaries-now-off = Обобщать нечего: память выключена. Включить: /summary_on
summaries-toast-on = Память включена.
summaries-on-already = Память уже включена ({ $storage }, сводка раз в { shared-turns }).
summaries-on = Память включена: я храню её в { $storage } и составляю сводку раз в { shared-turns }. Запоминаю с этого момента; сказанное раньше не сохранено. Изменить: /summary
summaries-on-again = Память включена: я храню её в { $storage } и составляю сводку раз в { shared-turns }. Запоминаю с этого момента; сказанное, пока она была выключена, не сохранено. Изменить: /summary
summaries-status-unset = Память: выключена (ещё не настроена)
summaries-status-storage-unset = Хранилище: SQLite (если включишь)
summaries-status-threshold-unset = Сводка: раз в { shared-turns } (если включишь)
summaries-status-enabled = Память: включена
summaries-status-disabled = Память: выключена
summaries-status-storage = Хранилище: { $storage }
summaries-status-threshold = Сводка: раз в { shared-turns }
summaries-status-policy = Способ: { $policy }
summaries-status-policy-by-hand = Способ: { $policy } (автоматические сводки выключены)
summaries-status-since = Сообщений с последней сводки: { $number }
summaries-status-total = Всего сообщений: { $number }
summaries-status-archived = Сообщений в архиве: { $number }
summaries-status-active = Действующих сводок: { $number }
summaries-status-level = Слоёв сводок: { $number }
summaries-status-compressed = Самые старые подробности сокращались { $times ->
    [one] { $times } раз
    [few] { $times } раза
   *[many] { $times } раз
 }.
summaries-status-rebuilding = Все сводки составляются заново: { $done } из { $parts ->
    [one] { $parts } части
   *[other] { $parts } частей
 }.
summaries-status-learning = Изучаю факты из импортированной истории: { $done } из { $total } твоих сообщений.
summaries-status-saved = Сэкономлено токенов: около { $tokens }
summaries-status-incognito = { $mark }: память читается, но ничего не записывается (выключить: /incognito off)
summaries-status-folding = Прямо сейчас составляется сводка.
summaries-status-index = Поисковый индекс: { $done } из { $messages ->
    [one] { $messages } сообщения
   *[other] { $messages } сообщений
 }
summaries-status-unreadable = Находятся только по словам: { shared-messages }
summaries-status-words-only = Поиск по смыслу сейчас не работает, по словам работает.
summaries-status-failure = Последняя неудача: { $date }: { $error } (ничего не потеряно)
summaries-status-one-of = Эти цифры – об открытом разговоре; всего разговоров: { $number } (/chats).
summaries-status-json-large = Когда сообщений больше { $most }, лучше SQLite: /summary перенесёт всё.
summaries-utc = { $date } UTC
summaries-one = { $kind } · { $dates } · { shared-messages }
summaries-folded = Обобщено: { shared-messages }; { $summaries ->
    [one] { $summaries } новая сводка
    [few] { $summaries } новые сводки
   *[many] { $summaries } новых сводок
 }. Прочитать: /summary_show
summaries-folded-older = Обобщены прежние сводки: { $summaries ->
    [one] { $summaries } новая сводка
    [few] { $summaries } новые сводки
   *[many] { $summaries } новых сводок
 }. Прочитать: /summary_show
summaries-nothing = Обобщать нечего: всё уже обобщено или ещё ничего не сказано.
summaries-busy = Прямо сейчас составляется сводка. Попробуй чуть позже.
summaries-waiting = { $why } Ничего не потеряно: тогда всё и будет обобщено.
summaries-not-made = Не удалось составить сводку.
summaries-failed = { $why } Ничего не потеряно: все сообщения на месте, и я попробую ещё раз.
summaries-kind-1 = Сводка
summaries-kind-2 = Сводка более ранних сводок
summaries-kind-3 = Обзор самого давнего
summaries-status-newest-good = Последняя сводка сохранила всё важное.
summaries-status-newest-fair = Последняя сводка сохранила почти всё важное.
summaries-status-newest-poor = В последней сводке многое упущено. Поиск по-прежнему находит каждое слово.
