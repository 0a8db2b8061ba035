# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Dein Verbrauch der Modelle (Tage in UTC)
usage-heading-group = Was das Gedächtnis dieser Gruppe an den Modellen verbraucht hat (Tage in UTC)
usage-days = Letzte { $days } Tage: { $answers }
usage-answers = { $answers ->
    [one] { $answers } Antwort
   *[other] { $answers } Antworten
 }
usage-nothing = Es wurden keine Tokens verbraucht.
usage-tokens = { $tokens } Tokens: { $prompt } zum Lesen (davon { $cached } aus dem Cache), der Rest zum Schreiben
usage-cost = Kosten: ${ $cost }
usage-cost-partly = Kosten: ${ $cost }, ohne die Modelle, deren Preis nicht gesetzt ist
usage-left = Heute noch übrig: { $tokens } Tokens. Um 00:00 UTC gibt es neue.
usage-no-limit = Es gibt keine Tagesgrenze.
usage-chart = Tokens pro Tag; der höchste Balken ist { $tokens }.
