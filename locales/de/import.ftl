import-title-keepsake = ein Export von mir
import-title-telegram = ein Export von Telegram Desktop
import-title-chatgpt = ein Export von ChatGPT
import-file-keepsake = meinen eigenen Export
import-file-telegram = result.json von Telegram Desktop
import-file-chatgpt = conversations.json von ChatGPT
import-kinds-differ = Das Archiv enthält Exporte verschiedener Art. Bitte schick sie einzeln.
import-several-own = Das Archiv enthält mehrere Exporte von mir. Bitte schick sie einzeln.
import-too-many-messages = Die Datei enthält mehr als { $most } Nachrichten. Bitte schick einen kürzeren Zeitraum. Nichts wurde importiert.
import-too-many-facts = Die Datei enthält mehr als { $most } Fakten. Bitte schick einen kürzeren Zeitraum. Nichts wurde importiert.
import-facts-in-all = Mit diesen Fakten wüsste ich mehr als { $most } über diesen Chat. Nichts wurde importiert.
import-too-many-files = Das Archiv enthält mehr als { $most } Dateien. Bitte schick einen kürzeren Zeitraum. Nichts wurde importiert.
import-fact-too-long = facts[{ $number }] hat mehr als die { $most } Zeichen, die ein Fakt haben darf. Nichts wurde importiert.
import-empty = Die Datei ist leer. Nichts wurde importiert.
import-unknown-format = Dieses Format kenne ich nicht. Ich lese { $known }, auch als .zip oder .gz gepackt. Nichts wurde importiert.
import-not-utf8 = Die Datei ist kein Text in UTF-8: Zeile { $line }. Nichts wurde importiert.
import-damaged-archive = Das Archiv ist beschädigt oder gesperrt. Nichts wurde importiert.
import-unpacked = Entpackt hat die Datei mehr als { $megabytes } MB. Nichts wurde importiert.
import-many-in-archive = Das Archiv enthält mehr als { $most } Dateien. Nichts wurde importiert.
import-no-export = Das Archiv enthält keinen Export, den ich kenne. Ich lese { $known }. Nichts wurde importiert.
import-too-much = Die Datei enthält mehr, als ich auf einmal lesen kann. Bitte schick einen kürzeren Zeitraum. Nichts wurde importiert.
import-died = Diese Datei braucht mehr Speicher oder Zeit, als ich aufwenden darf. Bitte schick einen kürzeren Zeitraum. Nichts wurde importiert.
import-not-json = Die Datei ist kein gültiges JSON: Zeile { $line }, Spalte { $column }: { $why }. Nichts wurde importiert.
import-too-deep = es ist zu tief verschachtelt
import-out-of-bounds = eine Zahl liegt außerhalb des Erlaubten
import-quotes-expected = hier sollte ein Name in Anführungszeichen stehen
import-follows = nach dem Ende folgt noch etwas
import-expected = hier sollte „{ $what }“ stehen
import-expected-either = hier sollte „{ $what }“ oder „{ $other }“ stehen
import-not-telegrams = { $where }id ist keine Zahl, also ist die Datei nicht von Telegram. Nichts wurde importiert.
import-wrong = { $where } (Zeile { $line }): { $why }. Nichts wurde importiert.
import-no-object = das ist kein Objekt
import-no-conversation = das ist keine Unterhaltung
import-no-list = das ist keine Liste
import-no-time = das ist keine Zeit
import-no-node = diesen Knoten gibt es nicht
import-circle = das führt im Kreis
import-missing = das fehlt
import-its-no-number = sein '{ $name }' ist keine Zahl
import-its-no-date = sein '{ $name }' ist kein Datum
import-its-no-text = sein '{ $name }' ist kein Text
import-row = { $row }: { $why }
import-its-missing = sein '{ $name }' fehlt
import-its-no-truth = sein '{ $name }' ist weder true noch false
import-its-no-whole = sein '{ $name }' ist keine ganze Zahl innerhalb der Grenzen
import-its-no-choice = sein '{ $name }' ist keiner der erlaubten Werte
import-its-no-list = sein '{ $name }' ist keine Liste von dem, was dort hingehört
import-its-no-object = sein '{ $name }' ist kein Objekt
import-its-no-figures = sein '{ $name }' ist kein Objekt, das nur Zahlen enthält
import-its-no-summary = sein '{ $name }' nennt eine Zusammenfassung, die es nicht gibt
import-its-twice = sein '{ $name }' kommt zweimal vor
import-its-no-role = sein 'role' ist weder user noch assistant noch system
import-text-neither = sein 'text' ist weder ein Text noch eine Liste von Stücken
import-piece-wordless = ein Stück von 'text' hat keine Worte
import-version = Dieser Export hat die Version { $version }; ich kenne { $known }. Bitte aktualisiere das Programm.
import-no-owner = Der Export sagt nicht, wem er gehört ('owner'). Nichts wurde importiert.
import-no-part = Der Export sagt nicht, welche seiner Dateien das ist ('part'). Nichts wurde importiert.
import-damaged = Der Export ist beschädigt: { $why }. Nichts wurde importiert.
import-busy = Gerade läuft eine Zusammenfassung oder ein anderer Import. Bitte versuch es gleich noch einmal.
import-chat-saved = Gespeicherte Nachrichten
import-chat-replies = Antworten
import-chat-nameless = ein Chat ohne Namen
import-chat-held = { $name } ({ $count })
import-holds-chats = Er enthält { $chats } Chats: { $named }.
import-holds-more = { $named } und { $more } weitere
import-holds-conversations = Er enthält { $count } Unterhaltungen.
import-none-yours = Keine der Nachrichten ist von dir (deine Telegram-ID ist { $id }).
import-wordless = { $count ->
    [one] { $count } Nachricht ohne Worte (Bilder, Sprache, Dateien) entfällt.
   *[other] { $count } Nachrichten ohne Worte (Bilder, Sprache, Dateien) entfallen.
 }
import-service = { $count ->
    [one] { $count } Dienstnachricht (Anrufe, Angeheftetes, Beitritte) entfällt.
   *[other] { $count } Dienstnachrichten (Anrufe, Angeheftetes, Beitritte) entfallen.
 }
import-retained = { $days ->
    [one] Mein Betreiber lässt mich Archiviertes löschen, das älter als { $days } Tag ist: { $old } dieser Nachrichten würden wieder gelöscht.
   *[other] Mein Betreiber lässt mich Archiviertes löschen, das älter als { $days } Tage ist: { $old } dieser Nachrichten würden wieder gelöscht.
 }
import-already = Er ist schon da; es fehlt noch: { $missing }.
import-instructions = Er enthält Anweisungen, denen ich von nun an folgen würde, als hättest du sie gegeben: { $shown }.
import-instructions-more = { $shown } und { $more } weitere
import-differs = Es kann nicht so zurückkommen, wie es war, denn { $why }. { $lost }.
import-differs-another = das ist der Export eines anderen Gedächtnisses
import-differs-holds = dieses Gedächtnis enthält schon etwas
import-differs-earlier = das ist eine von mehreren Dateien, die eine frühere Version geschrieben hat
import-lost-numbers = Die Nachrichten bekommen neue Nummern und gelten als importiert
import-lost-summaries = { $count ->
    [one] { $count } Zusammenfassung wird ohne Modell neu erstellt
   *[other] { $count } Zusammenfassungen werden ohne Modell neu erstellt
 }
import-lost-profile = das Profil entfällt
import-lost-versions = frühere Fassungen bearbeiteter Nachrichten entfallen
import-send-others = Bitte schick auch die anderen Dateien davon.
import-part = Teil { $number }
import-part-others = { $count } weitere
import-part-following = was auf Teil { $last } folgt
