forget-admins-only = Nur die Admins dieser Gruppe können mich vergessen lassen, was hier gesagt wurde.
forget-members = Nur die Admins dieser Gruppe können mich vergessen lassen, was hier gesagt wurde. Deine eigenen Worte kannst du selbst zurücknehmen: Antworte auf deine Nachricht mit /forget.
forget-usage =
    Was soll ich vergessen?

    • eine Nachricht: Antworte mit /forget darauf, oder /forget #12
    • einen Fakt: /forget Fakt 12
    • einen Tag oder mehrere: /forget 2026-01-31, /forget 2026-01-01 2026-02-01, /forget gestern
    • was du suchst: /forget WÖRTER
    • alles: /forget alles

    Bevor ich etwas lösche, sage ich, was es ist, und frage.
forget-final = Das lässt sich nicht rückgängig machen.
forget-clean = In meinen Dateien ist nichts mehr davon.
forget-traces = In meinen Dateien können vorerst Spuren bleiben, weil sie in Gebrauch sind oder der Datenträger voll ist. Ich räume weiter auf.
forget-expired = Diese Frage ist älter als 10 Minuten und tut nichts mehr. Sende /forget noch einmal.
forget-kept = Nichts wurde vergessen.
forget-gone = Das ist nicht (mehr) in meinem Gedächtnis.
forget-not-stored = Die Nachricht, auf die du antwortest, ist nicht in meinem Gedächtnis.
forget-former = Ich weiß nicht, welche Nachricht das ist, denn sie stammt aus der Zeit, bevor diese Gruppe eine Supergruppe wurde: Wer hier Admin ist, kann sie mit /forget und einigen ihrer Wörter finden und löschen.
forget-no-such-date = Dieses Datum gibt es nicht. Schreib Daten so: 2026-01-31.
forget-not-in-my-power = Nicht in meiner Hand: was in diesem Chat steht (in Telegram kannst du es löschen), was der Anbieter des Modells von früheren Anfragen aufbewahrt hat, und Sicherungen von früher.
forget-today = Heute
forget-everything = Alles
forget-none-found = Ich habe in dieser Unterhaltung keine Nachricht mit diesen Wörtern gefunden. Nichts wurde vergessen.
forget-elsewhere = Vielleicht ist es in einer anderen Unterhaltung: /search findet es in allen, und /chats öffnet eine.
forget-which = Was davon soll ich vergessen? Bevor ich es lösche, frage ich noch einmal.
forget-all = Alle { $number }
forget-maybe-more = Es kann mehr geben: Such noch einmal, wenn diese erledigt sind.
forget-none-of-them = Nichts davon
forget-keep-it = Behalten
forget-nothing-there = Dort gibt es nichts zu vergessen.
forget-ask-fact = Soll ich Fakt { $id } vergessen?
forget-ask-day = Soll ich vergessen, was am { $day } gesagt wurde?
forget-ask-days = Soll ich vergessen, was vom { $first } bis { $last } gesagt wurde?
forget-ask-everything = Soll ich alles vergessen?
forget-ask-everything-group = Soll ich alles vergessen? Das ist das ganze Gedächtnis dieser Gruppe, zu allen Themen.
forget-ask-this = Soll ich das vergessen?
forget-ask-these = Soll ich diese { shared-messages } vergessen?
forget-it = Vergessen
forget-them-too = Auch diese vergessen
forget-messages = { shared-messages } vergessen
forget-all-of-it = Alles vergessen
forget-turn = Frage und Antwort
forget-turns = Fragen und Antworten
forget-only-message = Nur diese Nachricht
forget-only-messages = Nur diese Nachrichten
forget-erases = Das löscht: { $what }.
forget-erases-with-them = Mit ihnen löscht das: { $what }.
forget-erases-with-turn = Mit der Frage oder Antwort, die dazugehört, löscht das: { $what }.
forget-erases-with-request = Mit der Frage oder Antwort, die dazugehört, und deiner Bitte von eben löscht das: { $what }.
forget-erases-with-turns = Mit den Fragen und Antworten, die dazugehören: { $what }.
forget-choices-stay = Deine Einstellungen bleiben, wie sie sind.
forget-done = Vergessen.
forget-line = #{ $id } · { $date } · { $speaker }: „{ $text }“
forget-reactivated = { $messages ->
    [one] { shared-messages } daneben bleibt und wird ohne sie neu zusammengefasst.
   *[other] { shared-messages } daneben bleiben und werden ohne sie neu zusammengefasst.
 }
forget-profiles = { $profiles ->
    [one] { $profiles } Fassung deines Profils
   *[other] { $profiles } Fassungen deines Profils
 }
forget-versions = { $versions ->
    [one] { $versions } früherer Text
   *[other] { $versions } frühere Texte
 }
forget-reminders = { $reminders ->
    [one] { $reminders } Erinnerung
   *[other] { $reminders } Erinnerungen
 }
forget-answers = { $answers ->
    [one] { $answers } spätere Antwort
   *[other] { $answers } spätere Antworten
 }
forget-quotes = { $count ->
    [one] { $what } zitiert das.
   *[other] { $what } zitieren das.
 }
forget-quotes-stay = { $count ->
    [one] { $what } zitiert es und bleibt.
   *[other] { $what } zitieren es und bleiben.
 }
forget-words-stay = { $messages ->
    [one] Einige der Wörter stehen auch in { shared-messages }, die bleibt; /search findet sie.
   *[other] Einige der Wörter stehen auch in { shared-messages }, die bleiben; /search findet sie.
 }
forget-words-may-stay = Nachrichten, die bleiben, können dieselben Wörter enthalten; /search findet sie.
forget-receipt = Vergessen: { $what }. { $rest }
forget-kept-aside = Mein Betreiber hebt außerdem beschädigte oder ersetzte Dateien auf, in denen es stehen kann: { $names }.
# What may be written for it after /forget.
forget-words-everything = alles
