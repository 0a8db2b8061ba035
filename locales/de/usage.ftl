# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Deine Nutzung der Modelle (Tage in UTC)
usage-heading-group =
    Nutzung der Modelle für das Gedächtnis dieser Gruppe (Tage in UTC)
    Antworten zählen bei denen, die fragen.
usage-days = Letzte { $days } Tage: { $answers }
usage-days-group = Letzte { $days } Tage
usage-answers = { $answers ->
    [one] { $answers } Antwort
   *[other] { $answers } Antworten
 }
usage-nothing = Es wurden keine Tokens verbraucht.
usage-tokens = { $tokens } Tokens: { $prompt } Eingabe ({ $cached } aus dem Zwischenspeicher), der Rest Ausgabe
usage-written = { $tokens } davon hat der Anbieter in seinen Zwischenspeicher geschrieben
usage-cost = Kosten: ${ $cost }
usage-cost-partly = Kosten: ${ $cost }, ohne die Modelle, deren Preis nicht gesetzt ist
usage-left = Übrig bis 00:00 UTC: { $tokens } Tokens
