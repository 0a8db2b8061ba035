page-title = Keepsake · Spielwiese
page-banner = es antwortet { $model } · läuft nur auf diesem Rechner
page-offline-model = das Offline-Modell (es zitiert nur, was es sich gemerkt hat)
page-chats = Chats
page-chat = Chat
page-memory = Gedächtnis
page-views = Ansichten
page-conversation = Unterhaltung
page-messages = Nachrichten
page-topics = Themen
page-topic-general = Allgemein
page-back = Zurück zu den Chats
page-start-over = Neu anfangen
page-show-memory = Gedächtnis zeigen
page-jump = Zur neuesten Nachricht
page-drop = Zum Senden loslassen
page-ok = OK
page-cancel = Abbrechen
page-add = Hinzufügen
page-first-name = Vorname
page-app-language = Sprache der App
page-add-person = Person hinzufügen
page-start-over-with = Mit { $title } neu anfangen?
page-start-over-hint = Der Chat wird geleert, und alles, was der Bot davon weiß, wird gelöscht.
page-fresh-start = Ein neuer Anfang.
page-in-private = Privat mit dem Bot, als
page-groups = Gruppen
page-no-messages = Noch keine Nachrichten
page-you-said = Du: { $words }
page-unread = { $number } ungelesen
page-theme-auto = Farben: automatisch
page-theme-light = Farben: hell
page-theme-dark = Farben: dunkel
page-language = Sprache dieser Seite
page-language-auto = Automatisch: { $language }
page-today = Heute
page-yesterday = Gestern
page-unknown = Unbekannt
page-new-messages = Neue Nachrichten
page-welcome-back = Willkommen zurück. Was oben steht, kommt aus dem Gedächtnis.
page-waiting = warte auf den Server …
page-typing = schreibt …
page-typing-name = { $name } schreibt …
page-writing-as = Bot · du schreibst als { $name }
page-members = { $number ->
    [one] { $number } Mitglied
   *[other] { $number } Mitglieder
 }
page-members-and-bot = { $number ->
    [one] { $number } Mitglied und der Bot
   *[other] { $number } Mitglieder und der Bot
 }
page-welcome-private = Er merkt sich, was du ihm erzählst, sobald du es erlaubst. Tippe auf „Starten“, um zu beginnen; was du sagst, geht an das Modell, das oben steht.
page-welcome-group = Erwähne { $bot } oder antworte dem Bot, dann antwortet er.
page-writing = Der Bot schreibt
page-edited = bearbeitet
page-photo-of = Foto: { $caption }
page-kind-photo = Foto
page-kind-voice = Sprachnachricht
page-kind-sticker = Sticker
page-kind-animation = Animation
page-kind-video = Video
page-kind-video_note = Videonachricht
page-kind-audio = Audio
page-kind-file = Datei
page-download = { $name } herunterladen
page-reply-key = Antworten (R)
page-copy-key = Text kopieren (C)
page-edit-key = Bearbeiten (E)
page-copied = Kopiert
page-copy = kopieren
page-copy-code = Code kopieren
page-code = Code
page-code-in = Code in { $language }
page-hidden-text = Verborgener Text, zum Zeigen tippen
page-show-all = Alles zeigen
page-show-less = Weniger zeigen
page-joined = Jetzt in der Gruppe: { $names }
page-left = { $name } hat die Gruppe verlassen
page-topic-created = Thema angelegt: { $name }
page-group-renamed = Die Gruppe heißt jetzt { $name }
page-start = Starten
page-message = Nachricht
page-message-group = Nachricht, oder { $bot }
page-suggestions = Vorschläge
page-tries = Zum Ausprobieren
page-try-1 = Ich bin allergisch gegen Walnüsse.
page-try-2 = Meine Schwester Nora wohnt in Lissabon.
page-try-3 = Wogegen bin ich allergisch?
page-try-4 = Was weißt du über mich?
page-commands = Befehle
page-attach = Datei anhängen
page-send = Senden
page-send-key = Senden (Eingabetaste)
page-as = als
page-speak-as = Sprechen als
page-edit-message = Nachricht bearbeiten
page-reply-to = Antwort an { $name }
page-cancel-key = Abbrechen (Esc)
page-not-sent = Nicht gesendet: Der Server antwortet nicht.
page-no-answer = Der Server antwortet nicht.
page-answered = Der Server antwortete { $status }.
page-caption-long = Eine Bildunterschrift hat höchstens { $most } Zeichen.
page-edit-long = Eine bearbeitete Nachricht hat 1 bis { $most } Zeichen.
page-name-long = Ein Name hat 1 bis { $most } Zeichen.
page-people-many = Es gibt schon { $most } Personen.
page-memory-unreadable = Das Gedächtnis kann gerade nicht gelesen werden.
page-remembered-about = Was der Bot über { $name } weiß
page-remembered-in = Was der Bot in { $title } weiß
page-on = an
page-off = aus
page-active = { $number } aktiv
page-archived = { $number } archiviert
page-memory-off = Das Gedächtnis ist aus, bis es eingeschaltet wird: Sende /summary im Chat.
page-until-summary = Bis zur nächsten Zusammenfassung
page-turns-of = { $done } von { $total ->
    [one] { $total } Runde
   *[other] { $total } Runden
 }
page-read-of = { $done } von { $total } deiner Nachrichten
page-summarising = Ältere Nachrichten werden gerade zusammengefasst.
page-summary-failed = Die letzte Zusammenfassung ist nicht gelungen: { $error }
page-summaries = Zusammenfassungen
page-summaries-none = Noch keine. Sobald es genug Nachrichten sind, wird daraus eine erste Zusammenfassung; gelöscht wird nichts.
page-summaries-count = { $active } aktiv, { $total } insgesamt
page-summaries-level = Zusammenfassungen der Stufe { $level }
page-summary-active = Zusammenfassung { $id } der Stufe { $level }, { $messages }, aktiv
page-summary-passive = Zusammenfassung { $id } der Stufe { $level }, { $messages }, Teil einer späteren
page-standing-active = Im Prompt, solange sie aktiv ist.
page-standing-higher = Teil einer höheren Zusammenfassung; aufbewahrt, nicht mehr im Prompt.
page-standing-replaced = Durch eine neuere Fassung ersetzt; aufbewahrt, nicht mehr im Prompt.
page-version = Fassung { $number }
page-version-of = Fassung { $number } ({ $policy }): { $chain }
page-quality = Qualität { $score }
page-part-retention = Namen und Zahlen erhalten { $score }
page-part-novelty = nichts erfunden { $score }
page-part-coverage = Runden erfasst { $score }
page-part-compression = gekürzt { $score }
page-part-repetition = nichts wiederholt { $score }
page-compressed = { $number ->
    [one] einmal zusammengefasst
   *[other] { $number }-mal zusammengefasst
 }
page-reason-threshold = es warteten genug Runden
page-reason-now = auf Wunsch
page-reason-idle = in einer Pause
page-reason-pressure = der Prompt war fast voll
page-reason-cut = Runden passten nicht mehr
page-reason-upwards = es warteten genug Zusammenfassungen
page-reason-rebuild = neu erstellt
page-reason-import = importiert
page-tokens-made = { $read } → { $written } Tokens
page-messages-count = { $number ->
    [one] { $number } Nachricht
   *[other] { $number } Nachrichten
 }
page-messages-newest = die neuesten { $shown } von { $total }
page-messages-none = Noch hat sich der Bot nichts gemerkt.
page-messages-off = Solange das Gedächtnis aus ist, wird nichts gespeichert.
page-messages-archived = { $messages } unter Zusammenfassung { $id }
page-messages-active = { $messages }, wörtlich im Prompt
page-message-active = Wörtlich im Prompt, solange Platz ist.
page-message-archived = Unter Zusammenfassung { $id }: weiterhin wörtlich auffindbar.
page-legend-person = Person
page-legend-bot = Bot
page-legend-colour = jede Farbe ist eine Zusammenfassung
page-profile = Profil
page-versions = { $number ->
    [one] { $number } Fassung
   *[other] { $number } Fassungen
 }
page-versions-earlier = { $number ->
    [one] { $number } frühere Fassung
   *[other] { $number } frühere Fassungen
 }
page-by-model = von { $model }
page-facts = Fakten
page-facts-count = { $holding } aktuell, { $gone } veraltet oder entfernt
page-fact-since = seit { $day }
page-fact-from = aus { $sources }
page-fact-by-hand = von Hand hinzugefügt
page-fact-earlier = früherer Wortlaut
page-fact-pinned = angeheftet
page-fact-deleted = gelöscht
page-fact-before = vorher: { $number }
page-kind-personal = persönlich
page-kind-preference = Vorliebe
page-kind-knowledge = Wissen
page-kind-event = Ereignis
page-kind-instruction = Anweisung
page-learning-running = Lernt aus importiertem Verlauf
page-learning-partly = Aus einem Teil des importierten Verlaufs gelernt
page-learning-done = Aus importiertem Verlauf gelernt
page-prompt = Letzter Prompt
page-prompt-none = Erscheint mit der nächsten Antwort.
page-tokens-of = { $tokens } von { $most } Tokens
page-cut = Passte nicht hinein
page-cut-turns = frühere Runden
page-cut-archived = archivierte Nachrichten
page-cut-document = ein Dokument
page-cut-summary = eine Zusammenfassung
page-found = Wiedergefunden
page-found-count = { $number ->
    [one] { $number } frühere Nachricht
   *[other] { $number } frühere Nachrichten
 }
