transfer-admins-export = Nur die Admins dieser Gruppe können ihr Gedächtnis exportieren.
transfer-admins-import = Nur die Admins dieser Gruppe können in ihr Gedächtnis importieren.
transfer-nothing = Es gibt nichts zu exportieren: Nichts ist gespeichert.
transfer-not-private = Ich konnte dir nicht privat schreiben, und was diese Gruppe weiß, stelle ich nicht in die Gruppe. Öffne einen Chat mit mir, tippe auf „Starten“ und sende /export hier noch einmal.
transfer-anonymous = Du schreibst als Gruppe, deshalb weiß ich nicht, wer die Datei bekommen soll. Sende /export unter deinem eigenen Namen.
transfer-sent = Ich habe sie dir privat geschickt.
transfer-ask-for-file =
    Sende mir jetzt die Datei, innerhalb von 10 Minuten. Ich lese:
    • einen Export von mir (/export),
    • Telegram Desktop: einen Chat oder alles (Chatverlauf exportieren, JSON oder HTML),
    • ChatGPT, Claude: die .zip ihres Datenexports; Gemini: „Meine Aktivitäten“ aus Google Takeout, AI Studio,
    • WhatsApp (Chat exportieren), Discord, Unterhaltungen in JSON oder Markdown.

    Höchstens 20 MB; .zip und .gz sind in Ordnung. Erst sage ich, was dazukäme; ohne dein Ja wird nichts gespeichert.
transfer-as-reply = Sende sie als Antwort auf diese Nachricht.
transfer-no-file = Ich sehe die Datei nicht mehr. Bitte sende sie noch einmal, mit /import als Beschriftung.
transfer-left = Nichts wurde importiert.
transfer-not-awaited = Ich warte nicht mehr auf eine Datei. Nichts wurde importiert.
transfer-again = Was importiert ist, bleibt; sende die Datei noch einmal, um weiterzumachen.
transfer-incognito = Solange du inkognito bist, wird nichts geschrieben. /incognito beendet das; sende die Datei dann noch einmal.
transfer-import = Importieren
transfer-cancel = Abbrechen
transfer-importing = Ich importiere …
transfer-importing-so-far = Ich importiere … { $done } von { shared-messages }.
transfer-stopped = Der Import hielt nach { shared-messages } an.
transfer-not-begun = Der Import hat nicht begonnen.
transfer-moved = Das Gedächtnis wurde inzwischen verlegt oder gelöscht.
transfer-plan = Das ist { $name } mit { shared-messages }.
transfer-plan-facts = Das ist { $name } mit { shared-messages } und { shared-facts }.
transfer-plan-whole = Sonst ist hier nichts gespeichert, also käme alles wieder, wie es war: Nachrichten, Zusammenfassungen, Fakten, Einstellungen.
transfer-plan-part = Das ist eine von mehreren Dateien, und alles käme wieder, wie es war: jetzt die Nachrichten, mit der letzten Datei Zusammenfassungen, Fakten und Einstellungen. Bitte sende auch die anderen, in beliebiger Reihenfolge. Es fehlen noch: { $missing }.
transfer-done-part = Fertig, wieder da wie zuvor: { shared-messages }. Es fehlen noch: { $missing }.
transfer-adds = { $messages ->
    [one] Dazu käme { shared-messages }.
   *[other] Dazu kämen { shared-messages }.
 }
transfer-adds-day = { $messages ->
    [one] Dazu käme { shared-messages } vom { $day }.
   *[other] Dazu kämen { shared-messages } vom { $day }.
 }
transfer-adds-days = Dazu kämen { shared-messages } vom { $first } bis { $last }.
transfer-adds-facts = { $facts ->
    [one] Dazu käme { shared-facts }.
   *[other] Dazu kämen { shared-facts }.
 }
transfer-as-history = Sie kämen als Verlauf ins Archiv, jede an ihrem Datum: Sie werden gefunden, wenn es darauf ankommt, und ohne Modell durch Auszüge zusammengefasst (/summary_rebuild kann das später verbessern).
transfer-all-known = Alles davon ist schon bekannt. Es gibt nichts zu importieren.
transfer-empty = Sie enthält keine Nachrichten: Es gibt nichts zu importieren.
transfer-turns-on = Das Gedächtnis ist aus; der Import schaltet es ein.
transfer-known = { $messages ->
    [one] { shared-messages } ist schon bekannt und bleibt, wie sie ist.
   *[other] { shared-messages } sind schon bekannt und bleiben, wie sie sind.
 }
transfer-done-whole = Fertig, wieder da wie zuvor: { shared-messages } und alles, was dazugehört.
transfer-done = Fertig, hinzugefügt: { $what }.
transfer-ask-me = Frag mich danach.
transfer-its-facts = { $facts ->
    [one] Ihr Fakt würde auch importiert.
   *[other] Ihre Fakten würden auch importiert.
 }
transfer-its-facts-known = { $facts ->
    [one] Ihr Fakt ist schon bekannt.
   *[other] Ihre Fakten sind schon bekannt.
 }
transfer-new-facts = { $facts ->
    [one] { shared-facts }, der noch nicht bekannt ist, würde auch importiert.
   *[other] { shared-facts }, die noch nicht bekannt sind, würden auch importiert.
 }
transfer-settings = deine Einstellungen
transfer-of-group = Das Gedächtnis der Gruppe „{ $title }“.
transfer-caption = Für Maschinen (JSON), alles, was ich hier aufhebe: { $what }. /import liest es wieder ein.
transfer-caption-gz = Für Maschinen (JSON, komprimiert), alles, was ich hier aufhebe: { $what }. /import liest es wieder ein.
transfer-plan-reminders = Erinnerungen, die angelegt würden: { $reminders }
transfer-paste = Von einem anderen Assistenten
transfer-paste-how = Kopiere meine nächste Nachricht in den anderen Assistenten und füge seine Antwort innerhalb von 10 Minuten hier ein. Du siehst jeden Fakt, bevor ich ihn behalte.
transfer-paste-prompt = Liste alles auf, was du über mich weißt und dir gemerkt hast: Fakten, Vorlieben, Menschen, Projekte, Daten. Schreib je eine Zeile in der Form [Datum, falls bekannt] - Inhalt. Lass nichts weg und füge nichts hinzu.
transfer-choose-none = Keinen wählen
transfer-choose-all = Alle wählen
transfer-go-on = Weiter
transfer-pause = Pause
transfer-stopping = Ich halte gleich an.
transfer-paused = Er ist angehalten; was da ist, bleibt.
transfer-ended = Der Import ist beendet; was da ist, bleibt. /forget kann es entfernen.
transfer-minutes-left = Noch etwa { $minutes } min.
transfer-for-whom = Für wen ist der Export? Zum Lesen: Markdown-Dateien und eine Seite mit Suchfeld. Für eine Maschine: JSON, das /import wieder einliest.
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
transfer-page-bot = Keepsake
