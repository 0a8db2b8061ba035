shared-messages = { $messages ->
    [one] { $messages } Nachricht
   *[other] { $messages } Nachrichten
 }
shared-turns = { $turns ->
    [one] { $turns } Nachricht von dir
   *[other] { $turns } Nachrichten von dir
 }
shared-facts = { $facts ->
    [one] { $facts } Fakt
   *[other] { $facts } Fakten
 }
shared-summaries = { $summaries ->
    [one] { $summaries } Zusammenfassung
   *[other] { $summaries } Zusammenfassungen
 }
shared-and = { $first } und { $last }
shared-or = { $first } oder { $last }
shared-comma = ,{ " " }
shared-semicolon = ;{ " " }
shared-quoted = „{ $text }“
shared-yesterday = gestern
shared-today = heute
shared-tomorrow = morgen
shared-you = du
shared-me = ich
shared-tool = ein Werkzeug
shared-admins-only = Nur die Admins dieser Gruppe können die Einstellungen ihres Gedächtnisses ändern.
shared-dead-button = Dieser Knopf tut nichts mehr.
shared-not-yours = Dieser Knopf gehört jemand anderem.
shared-not-here = Dieser Knopf tut hier nichts.
shared-failed = Das hat nicht geklappt. Bitte versuch es noch einmal.
shared-takes-nothing = Nach { $command } folgt kein weiterer Text, deshalb habe ich nichts getan. Sende nur { $command }.
shared-unknown = Den Befehl { $command } kenne ich nicht. /help zeigt alle, die ich kenne.
shared-unknown-near = Den Befehl { $command } kenne ich nicht. Meintest du { $near }? /help zeigt alle, die ich kenne.
shared-once-more = Bitte versuch es noch einmal; /cancel lässt alles, wie es ist.
shared-too-long = Das sind { $length } Zeichen; höchstens { $most } sind erlaubt. Nichts wurde geändert.
