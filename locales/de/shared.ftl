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
shared-quoted = „{ $text }“
shared-yesterday = gestern
shared-today = heute
shared-tomorrow = morgen
shared-you = du
shared-bot = der Bot
shared-tool = ein Werkzeug
shared-admins-only = Das können nur die Admins dieser Gruppe.
shared-dead-button = Dieser Knopf funktioniert nicht mehr. Bitte frag noch einmal.
shared-not-yours = Dieser Knopf gehört jemand anderem.
shared-failed = Das hat nicht geklappt. Bitte versuch es noch einmal.
shared-takes-nothing = Nach { $command } kommt kein Text. Sende es allein.
shared-unknown = Den Befehl { $command } kenne ich nicht. /help zeigt alle.
shared-in-private = { $command } geht nur in unserem privaten Chat.
shared-once-more = Bitte versuch es noch einmal; /cancel lässt alles, wie es ist.
shared-span = { $first } bis { $last }
shared-no = Nein
shared-near = Meintest du { $near }?
shared-too-long = Das sind { $length } Zeichen; höchstens { $most } sind erlaubt. Nichts wurde geändert.
