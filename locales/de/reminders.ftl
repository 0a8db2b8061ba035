reminders-offer = Soll ich dich { $when } erinnern?
reminders-yes = Ja
reminders-no = Nein
reminders-declined = Es wurde keine Erinnerung angelegt.
reminders-too-old = Diese Frage ist zu alt. Bitte mich noch einmal, oder nutze /reminders add.
reminders-passed = Diese Zeit ist schon vorbei. Bitte mich noch einmal mit einer anderen.
reminders-impossible-none = Diesen Tag oder diese Uhrzeit gibt es nicht. Bitte nenne andere.
reminders-impossible-far = Das ist zu weit weg: Ich erinnere dich innerhalb der nächsten { $years } Jahre.
reminders-set = Ich erinnere dich { $when }: { $text }
reminders-cancel = Löschen
reminders-cancelled = Gelöscht: { $text }
reminders-gone = Diese Erinnerung gibt es nicht mehr.
reminders-not-yours = Löschen kann sie nur, wer darum gebeten hat, oder ein Admin der Gruppe.
reminders-none = Es gibt keine Erinnerungen.
reminders-how = Sag „erinnere mich am Freitag um 9 daran, Anna anzurufen“, oder schicke /reminders add mit einer Zeit und worum es geht: /reminders add jeden Montag um 10 den Bericht schicken.
reminders-press = Ein Knopf löscht die Erinnerung mit seiner Nummer.
reminders-utc = Die Zeiten sind in UTC, denn ich kenne deine Zeitzone nicht: /tz stellt sie ein.
reminders-zone = Zeitzone einstellen
reminders-heading = { $reminders ->
    [one] { $reminders } Erinnerung:
   *[other] { $reminders } Erinnerungen:
 }
reminders-full = { $reminders ->
    [one] Es gibt schon { $reminders } Erinnerung, und keinen Platz für mehr. Lösche sie unter /reminders.
   *[other] Es gibt schon { $reminders } Erinnerungen, und keinen Platz für mehr. Lösche welche unter /reminders.
 }
reminders-due = Erinnerung: { $text }
reminders-late = Sie war { $when } fällig; da konnte ich sie nicht schicken.
reminders-each-daily = { $when }, dann jeden Tag
reminders-each-weekly = { $when }, dann jede Woche
reminders-each-monthly = { $when }, dann jeden Monat
reminders-weekdays = Mo Di Mi Do Fr Sa So
reminders-add-words = neu dazu hinzu
reminders-in-words = in
reminders-minute-words = minute minuten min
reminders-hour-words = stunde stunden h
reminders-day-words = tag tage tagen
reminders-today-words = heute
reminders-tomorrow-words = morgen
reminders-every-words = jeden jede jedes
reminders-at-words = um am ab gegen
reminders-half-words = uhr
reminders-joining-words = daran an dass zu
reminders-weekday-beginnings = mo di mi do fr sa so
