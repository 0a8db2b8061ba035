summaries-not-configured = Das Gedächtnis ist noch nicht eingerichtet. /summary richtet es ein; /summary_on schaltet es mit den üblichen Einstellungen ein (SQLite, alle 20 Nachrichten).
summaries-none = Es gibt noch keine Zusammenfassungen. /summary_status zeigt, wann die nächste fällig ist.
summaries-never-on = Das Gedächtnis ist schon aus: Es war nie eingeschaltet, und nichts ist gespeichert.
summaries-off-already = Das Gedächtnis ist schon aus. Gespeichertes bleibt gespeichert.
summaries-off = Das Gedächtnis ist aus. Gespeichertes bleibt gespeichert, deine Einstellungen auch; bis du /summary_on sendest, lese ich es nicht und füge nichts hinzu.
summaries-now-off = Nichts zusammenzufassen: Das Gedächtnis ist aus. /summary_on schaltet es ein.
summaries-toast-on = Das Gedächtnis ist an.
summaries-on-already = Das Gedächtnis ist schon an ({ $storage }, Zusammenfassung nach je { shared-turns }).
summaries-on = Das Gedächtnis ist an: Es liegt in { $storage }, und ich fasse nach je { shared-turns } zusammen. Ich merke mir alles ab jetzt; was vorher gesagt wurde, ist nicht gespeichert. /summary ändert das.
summaries-on-again = Das Gedächtnis ist an: Es liegt in { $storage }, und ich fasse nach je { shared-turns } zusammen. Ich merke mir alles ab jetzt; was gesagt wurde, während es aus war, ist nicht gespeichert. /summary ändert das.
summaries-status-unset = Gedächtnis: aus (noch nicht eingerichtet)
summaries-status-storage-unset = Speicher: SQLite (wenn du es einschaltest)
summaries-status-threshold-unset = Zusammenfassung: nach je { shared-turns } (wenn du es einschaltest)
summaries-status-enabled = Gedächtnis: an
summaries-status-disabled = Gedächtnis: aus
summaries-status-storage = Speicher: { $storage }
summaries-status-threshold = Zusammenfassung: nach je { shared-turns }
summaries-status-policy = Verfahren: { $policy }
summaries-status-policy-by-hand = Verfahren: { $policy } (automatische Zusammenfassungen sind aus)
summaries-status-since = Nachrichten seit der letzten Zusammenfassung: { $number }
summaries-status-total = Nachrichten insgesamt: { $number }
summaries-status-archived = Archivierte Nachrichten: { $number }
summaries-status-active = Aktive Zusammenfassungen: { $number }
summaries-status-level = Schichten von Zusammenfassungen: { $number }
summaries-status-compressed = Die ältesten Einzelheiten wurden { $times ->
    [one] { $times }-mal
   *[other] { $times }-mal
 } gekürzt.
summaries-status-rebuilding = Alle Zusammenfassungen werden neu erstellt: { $done } von { $parts ->
    [one] { $parts } Teil
   *[other] { $parts } Teilen
 }.
summaries-status-learning = Ich lerne Fakten aus importierten Gesprächen: { $done } von { $total } deiner Nachrichten.
summaries-status-saved = Bisher gesparte Tokens: etwa { $tokens }
summaries-status-incognito = { $mark }: Das Gedächtnis wird gelesen, aber nichts geschrieben (/incognito off beendet es)
summaries-status-folding = Gerade entsteht eine Zusammenfassung.
summaries-status-index = Suchindex: { $done } von { shared-messages }
summaries-status-unreadable = Nur mit Wörtern zu finden: { shared-messages }
summaries-status-words-only = Die Suche nach Sinn geht gerade nicht, die nach Wörtern schon.
summaries-status-failure = Letzter Fehlschlag: { $date }: { $error } (nichts ging verloren)
summaries-status-one-of = Diese Zahlen gelten für die offene Unterhaltung; insgesamt gibt es { $number } (/chats).
summaries-status-json-large = Ab mehr als { $most } Nachrichten ist SQLite zu empfehlen: /summary zieht alles um.
summaries-utc = { $date } UTC
summaries-one = { $kind } · { $dates } · { shared-messages }
summaries-folded = { shared-messages } zusammengefasst: { $summaries ->
    [one] { $summaries } neue Zusammenfassung
   *[other] { $summaries } neue Zusammenfassungen
 }. /summary_show zeigt sie.
summaries-folded-older = Ältere Zusammenfassungen zusammengefasst: { $summaries ->
    [one] { $summaries } neue Zusammenfassung
   *[other] { $summaries } neue Zusammenfassungen
 }. /summary_show zeigt sie.
summaries-nothing = Nichts zusammenzufassen: Alles ist schon zusammengefasst, oder es wurde noch nichts gesagt.
summaries-busy = Gerade entsteht eine Zusammenfassung. Bitte versuch es gleich noch einmal.
summaries-waiting = { $why } Nichts ging verloren: Was fällig ist, wird dann zusammengefasst.
summaries-not-made = Die Zusammenfassung gelang nicht.
summaries-failed = { $why } Nichts ging verloren: Alle Nachrichten sind noch da, und ich versuche es wieder.
summaries-kind-1 = Zusammenfassung
summaries-kind-2 = Zusammenfassung früherer Zusammenfassungen
summaries-kind-3 = Überblick über das Älteste
summaries-status-newest-good = Die neueste Zusammenfassung enthält, worauf es ankommt.
summaries-status-newest-fair = Die neueste Zusammenfassung enthält das meiste, worauf es ankommt.
summaries-status-newest-poor = In der neuesten Zusammenfassung fehlt einiges. Jedes Wort bleibt auffindbar.
