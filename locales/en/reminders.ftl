# /reminders, and the offer of a reminder under an answer. reminders-add-words: words after /reminders that add one.

reminders-offer = Shall I remind you { $when }?
reminders-offer-unsure = I am not sure about “{ $words }”. Shall I remind you { $when }?
reminders-yes = Yes
reminders-impossible-passed = That time has passed already.
reminders-impossible-none = This day or time does not exist.
reminders-impossible-far = I can only remind you within the next { $years } years.
reminders-set = I will remind you { $when }: { $text }
reminders-cancel = Cancel it
reminders-cancelled = Cancelled: { $text }
reminders-gone = This reminder is not there any more.
reminders-not-yours = Only who asked for it, or an admin, can cancel it.
reminders-none = There are no reminders.
reminders-how = For example: /reminders add on Friday at 9 to call Ann. Or: /reminders add every Monday at 10 send the report
reminders-not-understood = I did not understand “{ $words }”, so nothing is set. Please put it another way, such as: on 3 December at 9:00 dentist
reminders-press = Press a number to cancel that reminder.
reminders-utc = Times are in UTC. /tz sets your time zone.
reminders-zone = Set my time zone
reminders-full = There is no room for more reminders. /reminders cancels some.
reminders-due = Reminder: { $text }
reminders-late = It was due { $when }.
reminders-each-daily = { $when }, and then every day
reminders-each-weekly = { $when }, and then every week
reminders-each-monthly = { $when }, and then every month
# Monday first, with spaces between them.
reminders-add-words = add new
# Words of /reminders add: "in 20 minutes …", "tomorrow at 9:00 …", "every Monday at 10 …"; how weekdays begin, Monday first.
reminders-in-words = in
reminders-minute-words = minute minutes min mins m
reminders-hour-words = hour hours h hrs
reminders-day-words = day days
reminders-today-words = today
reminders-tomorrow-words = tomorrow tmrw tmr
reminders-after-tomorrow-words = day_after_tomorrow the_day_after_tomorrow
reminders-next-words = next
reminders-every-words = every each
reminders-at-words = at by from
reminders-on-words = on the this
reminders-this-words = this
reminders-tonight-words = tonight this_evening
reminders-before-day-words = on in at by during before after
reminders-unread-words = daily nightly weekly monthly yearly hourly weekday weekdays weekend weekends early
reminders-number-words = oh fifteen twenty thirty forty fifty o p hundred quarter half et pt eastern pacific
reminders-until-words = to till until or past before after
reminders-zone-words = time
reminders-hours-words = hrs o'clock o_clock oclock
reminders-joining-words = to that about of for remind_me_to remind_me me
