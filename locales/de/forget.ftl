forget-members = Um deine eigenen Worte zurückzunehmen, antworte darauf mit /forget.
forget-usage =
    Was soll ich vergessen?
    
    • eine Nachricht: antworte darauf mit /forget
    • Tage: /forget gestern, /forget 1. Mai – 3. Juni
    • was du suchst: /forget WÖRTER
    • alles: /forget alles
    
    Ich frage, bevor ich etwas lösche.
forget-final = Das lässt sich nicht rückgängig machen.
forget-clean = In den Dateien des Bots ist nichts mehr davon.
forget-traces = In den Dateien des Bots können vorerst Spuren bleiben; sie werden weiter bereinigt.
forget-kept = Nichts wurde vergessen.
forget-gone = Davon ist nichts im Gedächtnis des Bots.
forget-former = Diese Nachricht ist von früher, als diese Gruppe noch keine Supergruppe war. Ein Admin kann sie mit /forget und einigen ihrer Wörter löschen.
forget-no-such-date = Dieses Datum gibt es nicht. Schreib es so: 3. Juni 2026.
forget-not-in-my-power = Nicht in der Hand des Bots: dieser Chat in Telegram, was der Anbieter des Modells aufbewahrt, frühere Sicherungen.
forget-today = Heute
forget-everything = Alles
forget-none-found = Keine Nachricht hier hat diese Wörter.
forget-elsewhere = /search sucht in allen Unterhaltungen; /chats öffnet eine.
forget-which = Was davon soll ich vergessen?
forget-all = Alle { $number }
forget-maybe-more = Es kann mehr geben.
forget-none-of-them = Nichts davon
forget-keep-it = Behalten
forget-ask-this = Soll ich das vergessen?
forget-it = Vergessen
forget-them-too = Auch diese vergessen
forget-all-of-it = Alles vergessen
forget-turn = Frage und Antwort
forget-turns = Fragen und Antworten
forget-only-message = Nur diese Nachricht
forget-only-messages = Nur diese Nachrichten
forget-erases = Das löscht: { $what }.
forget-choices-stay = Auch Zeitzone, eigener Stil und Wünsche für Zusammenfassungen werden gelöscht. Andere Einstellungen bleiben.
forget-done = Vergessen.
forget-line = #{ $id } · { $date } · { $speaker }: „{ $text }“
forget-profiles = { $profiles ->
    [one] { $profiles } Fassung deines Profils
   *[other] { $profiles } Fassungen deines Profils
 }
forget-versions = { $versions ->
    [one] { $versions } frühere Fassung
   *[other] { $versions } frühere Fassungen
 }
forget-reminders = { $reminders ->
    [one] { $reminders } Erinnerung
   *[other] { $reminders } Erinnerungen
 }
forget-answers = { $answers ->
    [one] { $answers } spätere Antwort
   *[other] { $answers } spätere Antworten
 }
forget-import-stops = Gerade läuft ein Import. Er hält an, und was er gebracht hat, geht mit.
forget-quotes = Zitiert wird es in: { $what }.
forget-words-may-stay = Andere Nachrichten können dieselben Wörter enthalten; /search findet sie.
forget-receipt = Vergessen: { $what }.
forget-kept-aside = Beschädigte oder ersetzte Dateien, die hier liegen, können es enthalten: { $names }.
# What may be written for it after /forget.
forget-words-everything = alles
forget-group = Alles: das ganze Gedächtnis dieser Gruppe, zu allen Themen
forget-words-stay = Wörter davon bleiben in: { $what }. /search findet sie.
