# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Твоё использование моделей (дни по UTC)
usage-heading-group =
    Использование моделей для памяти этой группы (дни по UTC)
    Ответы засчитываются тем, кто спрашивает.
usage-days = Последние { $days } дней: { $answers }
usage-days-group = Последние { $days } дней
usage-answers = { $answers ->
    [one] { $answers } ответ
    [few] { $answers } ответа
    [many] { $answers } ответов
   *[other] { $answers } ответа
 }
usage-nothing = Токены не расходовались.
usage-tokens = Токенов: { $tokens }; на входе { $prompt } (в кэше { $cached }), остальное — на выходе
usage-written = Из них записано в кэш поставщика: { $tokens }
usage-cost = Стоимость: ${ $cost }
usage-cost-partly = Стоимость: ${ $cost }, без моделей, цена которых не задана
usage-left = Осталось токенов до 00:00 UTC: { $tokens }
