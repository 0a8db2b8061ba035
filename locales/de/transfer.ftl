transfer-nothing = Es gibt nichts zu exportieren.
transfer-not-private = Ich konnte dir nicht privat schreiben. Tippe im Chat mit mir auf „Starten“ und sende { $command } hier noch einmal.
transfer-anonymous = Du schreibst als Gruppe, darum weiß ich nicht, wem ich die Datei schicken soll. Sende /export unter deinem Namen.
transfer-sent = Ich habe dir die Datei privat geschickt.
transfer-ask-for-file =
    Sende mir jetzt die Datei, innerhalb von 10 Minuten. Ich lese:
    • einen Export von mir, Telegram Desktop (JSON oder HTML), WhatsApp, Discord,
    • ChatGPT und Claude (die .zip ihres Exports), Gemini („Meine Aktivitäten“ aus Google Takeout, AI Studio),
    • Unterhaltungen in JSON oder Markdown.

    Höchstens 20 MB, auch .zip oder .gz. Ohne dein Ja wird nichts gespeichert.
transfer-as-reply = Sende sie als Antwort auf diese Nachricht.
transfer-no-file = Ich sehe die Datei nicht mehr. Bitte sende sie noch einmal, mit /import als Beschriftung.
transfer-left = Nichts wurde importiert.
transfer-again = Was da ist, bleibt; sende die Datei noch einmal, um weiterzumachen.
transfer-incognito = Solange du inkognito bist, wird nichts geschrieben. /incognito beendet das.
transfer-import = Importieren
transfer-cancel = Abbrechen
transfer-importing = Ich importiere …
transfer-importing-so-far = Ich importiere … { $done } von { shared-messages }.
transfer-stopped = Der Import hielt nach { shared-messages } an.
transfer-not-begun = Der Import hat nicht begonnen.
transfer-moved = Das Gedächtnis wurde inzwischen verschoben oder gelöscht.
transfer-plan-none = Das ist { $name }.
transfer-plan = Das ist { $name } mit { $what }.
transfer-plan-whole = Sonst ist hier nichts gespeichert, also käme alles wieder, wie es war.
transfer-plan-part = Jetzt kommen die Nachrichten wieder, alles andere mit der letzten Datei. Bitte sende auch die anderen. Es fehlen noch: { $missing }.
transfer-done-part = Fertig, wieder da: { shared-messages }. Es fehlen noch: { $missing }.
transfer-adds = Dazu käme: { $what }.
transfer-adds-dated = Dazu käme: { $what } ({ $when }).
transfer-as-history = Sie behalten ihr Datum, und kein Modell wird gefragt. Ich finde sie, wenn es darauf ankommt.
transfer-all-known = Alles davon ist schon bekannt. Es gibt nichts zu importieren.
transfer-empty = Sie enthält keine Nachrichten: Es gibt nichts zu importieren.
transfer-turns-on = Das Gedächtnis ist aus; der Import schaltet es ein.
transfer-known = Schon bekannt: { shared-messages }.
transfer-done-whole = Fertig, wieder da wie zuvor: { shared-messages } und alles, was dazugehört.
transfer-done = Fertig, hinzugefügt: { $what }.
transfer-ask-me = Frag mich danach.
transfer-new-facts = Neue Fakten: { $facts }.
transfer-settings = deine Einstellungen
transfer-of-group = Das Gedächtnis der Gruppe „{ $title }“.
transfer-caption = Für Maschinen (JSON), alles, was ich hier speichere: { $what }. /import liest es wieder ein.
transfer-plan-reminders = Erinnerungen, die angelegt würden: { $reminders }
transfer-paste = Von einem anderen Assistenten
transfer-paste-how = Kopiere meine nächste Nachricht in den anderen Assistenten und füge seine Antwort binnen 10 Minuten hier ein. Du siehst jeden Fakt, bevor ich ihn behalte.
transfer-paste-prompt = Liste alles auf, was du über mich weißt und dir gemerkt hast: Fakten, Vorlieben, Menschen, Projekte, Daten. Schreib je eine Zeile in der Form [Datum, falls bekannt] - Inhalt. Lass nichts weg und füge nichts hinzu.
transfer-choose-none = Keinen wählen
transfer-choose-all = Alle wählen
transfer-go-on = Weiter
transfer-pause = Pause
transfer-stopping = Ich halte gleich an.
transfer-paused = Er ist angehalten; was da ist, bleibt.
transfer-ended = Er ist beendet; was da ist, bleibt. /forget kann es entfernen.
transfer-minutes-left = Noch etwa { $minutes } min.
transfer-for-whom = Für wen ist der Export? Zum Lesen: Markdown und eine Seite mit Suchfeld. Für eine Maschine: JSON, das /import wieder liest.
transfer-for-me = Für mich
transfer-for-a-machine = Für eine Maschine
transfer-caption-zip = Zum Lesen: { $what }, als Markdown, eine Datei je Monat. Lässt sich in Obsidian öffnen.
transfer-caption-html = Zum Lesen im Browser, ohne Netz: { $what }, mit Suchfeld.
transfer-page-title = Mein Gedächtnis
transfer-page-search = Suchen
transfer-page-profile = Profil
transfer-page-facts = Fakten
transfer-page-summaries = Zusammenfassungen
transfer-page-me = Ich
