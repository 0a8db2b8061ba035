# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = Your use of the models (days in UTC)
usage-heading-group =
    Use of the models for this group's memory (days in UTC)
    Answers count for whoever asks.
usage-days = Last { $days } days: { $answers }
usage-days-group = Last { $days } days
usage-answers = { $answers ->
    [one] { $answers } answer
   *[other] { $answers } answers
 }
usage-nothing = No tokens were used.
usage-tokens = { $tokens } tokens: { $prompt } in ({ $cached } cached), the rest out
usage-written = { $tokens } of what went in was written to the provider's cache
usage-cost = Cost: ${ $cost }
usage-cost-partly = Cost: ${ $cost }, without the models whose price is not set
usage-left = Left until 00:00 UTC: { $tokens } tokens
