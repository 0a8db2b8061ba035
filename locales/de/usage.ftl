# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Dein Verbrauch bei den Modellen (Tage in UTC)
usage-heading-group = Was das Gedächtnis dieser Gruppe an den Modellen verbraucht hat (Tage in UTC)
usage-days = Letzte { $days } Tage: { $answers }
usage-answers = { $answers ->
    [one] { $answers } Antwort
   *[other] { $answers } Antworten
 }
usage-nothing = Es wurden keine Tokens verbraucht.
usage-tokens = { $tokens } Tokens: { $prompt } hinein ({ $cached } aus dem Zwischenspeicher), der Rest heraus
usage-cost = Kosten: ${ $cost }
usage-cost-partly = Kosten: ${ $cost }, ohne die Modelle, deren Preis nicht gesetzt ist
usage-left = Vom Budget für heute noch übrig: { $tokens } Tokens. Um 00:00 UTC gibt es ein neues.
usage-no-limit = Es gibt keine Tagesgrenze.
