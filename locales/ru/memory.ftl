memory-usage =
    Команда /memory показывает, что я о тебе знаю.
    /memory add ТЕКСТ – сказать мне, что запомнить
    /memory 12 – факт 12 и его история
    /memory edit 12 ТЕКСТ, /memory pin 12, /memory unpin 12, /memory delete 12, /memory undo 12
memory-add-what = Скажи, что запомнить: /memory add и одно предложение.
memory-too-long = В факте не больше { $most } символов; в этом { $length }. Ничего не изменилось.
memory-not-on = Память ещё не настроена, поэтому я ничего не могу сохранить. Включить: /summary_on
memory-not-for-one-person = В личных сообщениях канала я не веду ни фактов, ни профиля: они принадлежали бы каналу, и их узнавали бы все, кто ему пишет. Сказанное здесь я помню только для тебя.
memory-incognito-on = Включено инкогнито, поэтому я ничего не записываю; это тоже не записано. Выключить: /incognito off
memory-added = Записано: { $text }
memory-known-already = Я это уже знаю: { $text }
memory-full = Я уже знаю { $most } фактов и больше не храню. /memory показывает их; там можно удалить лишние.
memory-holds-no-longer = Это больше не действует, закрепить нельзя: { $text }
memory-no-such-fact = Нет факта { $id }, который можно изменить. Что я знаю: /memory
memory-nothing-to-undo = Это не меняли вручную, отменять нечего.
memory-new-text =
    Отправь новый текст; сейчас: { $text }
    Оставить как есть: /cancel
memory-profile-erased = Эта версия стёрта.
memory-undone = Всё снова как было; другой текст стёрт.
memory-undone-derived = Всё снова как было; другой текст стёрт, а с ним и то, что из него получено: { $what }.
memory-distilling = Переписываю профиль; скажу, когда будет готово.
memory-distilling-already = Профиль пишется прямо сейчас.
memory-nothing-known = Пока я ничего о тебе не знаю. Факты я узнаю из того, что ты говоришь при включённой памяти, чуть позже сказанного; сразу добавить можно так: /memory add ТЕКСТ
memory-nothing-known-group = Пока я ничего не знаю об этой группе. Факты я узнаю из того, что её участники говорят мне при включённой памяти, чуть позже сказанного; сразу добавляет команда /memory add ТЕКСТ
memory-off = Память выключена: до команды /summary_on я не узнаю нового и ничем из этого не пользуюсь.
memory-done-pin = Закреплено, учитываю в каждом ответе: { $text }
memory-done-unpin = Больше не закреплено: { $text }
memory-done-delete = Удалено: { $text } В течение дня это можно вернуть, потом оно будет стёрто. Сразу стирает /forget
memory-done-undo = Всё снова как было: { $text }
memory-heading-instruction = О чём ты просишь помнить всегда
memory-heading-preference = Что ты предпочитаешь
memory-heading-facts = Факты
memory-count = { $heading } ({ $total })
memory-count-page = { $heading } ({ $total }, страница { $page } из { $pages })
memory-worth-vital = важно всегда
memory-worth-important = важно
memory-worth-minor = мелочь
memory-title = Что я о тебе знаю
memory-title-group = Что я знаю об этой группе
memory-profile = Профиль (версия { $id }, { $day })
memory-deleted = Удалено, можно вернуть в течение дня:
memory-press = Нажми на номер, чтобы открыть факт: изменить, закрепить, удалить, вернуть.
memory-button-newer = ‹ Новее
memory-button-older = Старше ›
memory-button-profile = Профиль и версии
memory-since = с { $day }
memory-earlier = прежних: { $number }
memory-holds = Действует с { $from }; последний раз сказано { $said }.
memory-held = Действовал с { $from } по { $until }; последний раз сказано { $said }.
memory-learned = Источник: { shared-messages }.
memory-by-hand = Добавлен вручную.
memory-superseded = Теперь вместо этого: { $text }
memory-is-deleted = Удалён. В течение дня его можно вернуть, потом он будет стёрт.
memory-button-undo-delete = Вернуть
memory-button-unpin = Открепить
memory-button-pin = Закрепить
memory-button-edit = Изменить
memory-button-delete = Удалить
memory-button-undo-edit = Отменить правку
memory-button-all = ‹ Все факты
memory-before = До { $until }: { $text }
memory-before-now = Раньше, с { $from } до сих пор: { $text }
memory-no-profile = Профиля пока нет. Он появится, когда будет о чём писать, или сейчас — по кнопке ниже.
memory-profiles = { $versions ->
    [one] Профиль: { $versions } версия, действует последняя.
    [few] Профиль: { $versions } версии, действует последняя.
   *[many] Профиль: { $versions } версий, действует последняя.
 }
memory-version = Версия { $id }, { $day }
memory-button-rewrite = Переписать сейчас
memory-button-erase = Стереть версию { $id }
memory-rewritten = Профиль переписан (версия { $id }):
memory-not-enough = Для профиля пока слишком мало сведений, или ответ модели не подошёл.
memory-not-written = Профиль не записан: { $why } Ничего не изменилось.
