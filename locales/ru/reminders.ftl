reminders-offer = Напомнить тебе: { $when }?
reminders-yes = Да
reminders-no = Нет
reminders-declined = Напоминание не поставлено.
reminders-too-old = Этот вопрос слишком старый. Попроси меня ещё раз или используй /reminders add.
reminders-passed = Это время уже прошло. Попроси меня ещё раз, назвав другое.
reminders-impossible-none = Такого дня или времени не бывает. Назови, пожалуйста, другое.
reminders-impossible-far = Это слишком нескоро: я напоминаю только о том, что будет в ближайшие { $years } лет.
reminders-set = Напомню ({ $when }): { $text }
reminders-cancel = Отменить
reminders-cancelled = Отменено: { $text }
reminders-gone = Этого напоминания уже нет.
reminders-not-yours = Отменить его может только тот, кто о нём попросил, или администратор группы.
reminders-none = Напоминаний нет.
reminders-how = Скажи «напомни в пятницу в 9 позвонить Ане» или отправь /reminders add, время и о чём напомнить: /reminders add каждый понедельник в 10 отправить отчёт.
reminders-press = Кнопка отменяет напоминание с её номером.
reminders-utc = Время указано по UTC: я не знаю твоего часового пояса, его задаёт /tz.
reminders-zone = Указать часовой пояс
reminders-heading = { $reminders ->
    [one] { $reminders } напоминание:
    [few] { $reminders } напоминания:
   *[many] { $reminders } напоминаний:
 }
reminders-full = { $reminders ->
    [one] Уже есть { $reminders } напоминание, и места больше нет. Отмени его в /reminders.
    [few] Уже есть { $reminders } напоминания, и места больше нет. Отмени какое-нибудь в /reminders.
   *[many] Уже есть { $reminders } напоминаний, и места больше нет. Отмени какие-нибудь в /reminders.
 }
reminders-due = Напоминание: { $text }
reminders-late = Срок был { $when }; тогда я не мог его отправить.
reminders-each-daily = { $when }, затем каждый день
reminders-each-weekly = { $when }, затем каждую неделю
reminders-each-monthly = { $when }, затем каждый месяц
reminders-weekdays = Пн Вт Ср Чт Пт Сб Вс
reminders-add-words = добавь добавить новое
reminders-in-words = через
reminders-minute-words = минуту минуты минут мин
reminders-hour-words = час часа часов
reminders-day-words = день дня дней
reminders-today-words = сегодня
reminders-tomorrow-words = завтра
reminders-every-words = каждый каждую каждое
reminders-at-words = в во к
reminders-half-words = час часа часов
reminders-joining-words = про о об что чтобы
reminders-weekday-beginnings = пн/пон вт/вто ср/сре чт/чет пт/пят сб/суб вс/вос
