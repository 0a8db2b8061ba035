why-nothing-known = Здесь я ещё не ответил ни на что, что мог бы объяснить.
why-not-this-one = Я не знаю, из чего составлено это сообщение. Объяснить могу только свои ответы, и только 100 последних. Ответь на один из них командой /why или отправь просто /why — про последний.
why-title = Из чего составлен мой ответ ({ $date })
why-not-stored = Это объяснение не сохранено: при перезапуске я его забуду.
why-heading-parts = Что получила модель
why-heading-summaries = Сводки прежних разговоров
why-heading-profile = Твой профиль
why-heading-facts = Факты о тебе, подходящие к вопросу, лучшие первыми
why-heading-snippets = Прежние сообщения, вспомнившиеся по твоему вопросу, лучшие первыми
why-heading-looked-up = Прежние сообщения, которые модель нашла сама
why-heading-recent = Недавний разговор, дословно
why-heading-here = Недавний разговор, который не сохранён
why-heading-cut = Опущено, но находится, когда важно
why-part-system = мои указания
why-part-profile = твой профиль
why-part-summaries = сводки
why-part-recent = недавний разговор, дословно
why-part-tools = инструменты и что они нашли
why-part-instructions = о чём ты просишь помнить всегда
why-part-facts = факты о тебе
why-part-snippets = вспомнившиеся прежние сообщения
why-part-clock = дата, время и то, на что ты отвечаешь
why-part-message = твоё сообщение
why-part-overhead = служебная часть запроса
why-for-words = те же слова, что в вопросе
why-for-words-before = слова твоих прежних вопросов
why-for-meaning = близко по смыслу
why-for-nearby = рядом с тем, что подходит
why-for-pinned = закреплено тобой
why-for-instruction = ты об этом просишь
why-for-preference = ты это предпочитаешь
why-for-speaker = назван тот, кто это сказал
why-for-reply = относится к тому, чему отвечаешь
why-for-time = из времени, о котором вопрос
why-for-opening = начало разговора того дня
why-for-recent = сказано недавно
why-loosely = связано лишь отдалённо
why-until-then = До этого: «{ $text }»
why-count-recent = { $number ->
    [one] { $number } недавнее сообщение
    [few] { $number } недавних сообщения
   *[many] { $number } недавних сообщений
 }
why-count-facts = { $number ->
    [one] { $number } факт о тебе
    [few] { $number } факта о тебе
   *[many] { $number } фактов о тебе
 }
why-count-found = { $number ->
    [one] { $number } найденное прежнее сообщение
    [few] { $number } найденных прежних сообщения
   *[many] { $number } найденных прежних сообщений
 }
why-count-profile = твой профиль
why-sources = Твой вопрос, а также { $what }.
why-sources-none = Только твой вопрос: больше ничего не было известно.
why-size = Модель { $model } получила токенов: { $tokens } из { $most } возможных.
why-size-whole = Вся история заняла бы около { $tokens }.
why-tokens = { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[many] { $tokens } токенов
 }
why-tokens-of = { $tokens } из { $most ->
    [one] { $most } токена
   *[other] { $most } токенов
 }
why-part = · { $part }: { $size }
why-here = { shared-messages }; помню до перезапуска
why-summary = · { $dates }, { shared-messages }: «{ $text }»
why-gone = · ещё { $number }, с тех пор забытых или составленных заново
why-profile-gone = С тех пор он стёрт.
why-profile = На { $date } (включается всегда): «{ $text }»
why-forgotten = с тех пор забыто
why-fact = · «{ $text }» С { $day }; источник: { $messages ->
    [one] { $messages } твоё сообщение
    [few] { $messages } твоих сообщения
   *[many] { $messages } твоих сообщений
 }.
why-fact-by-hand = · «{ $text }» С { $day }; добавлен вручную.
why-why = Почему: { $reason }
why-message-cut = Твоё сообщение было слишком длинным, его середина вырезана.
why-cut-summary = Более ранняя сводка: на неё не хватило места.
why-said = { $date } { $speaker }: «{ $text }»
why-span = { $first } – { $last }
why-cut-turns = Более ранние сообщения: на них не хватило места.
why-cut-archived = Более ранние сообщения, которых нет ни в одной сводке.
why-cut-document = Отрывки из файла: в них ведётся поиск, целиком они не повторяются.
why-details = Подробнее
why-page = Страница { $page } из { $pages }
