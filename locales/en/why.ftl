# What /why says of an answer. why-part-NAME: the parts of a prompt; why-for-NAME: what raised an item most.

why-nothing-known = I have not answered anything here yet.
why-not-this-one = I can explain only my newest 100 answers. Reply to one with /why, or send /why alone for the last one.
why-title = What my answer ({ $date }) was made from
why-not-stored = This explanation is not stored: I forget it at a restart.
why-heading-parts = What the model was given
why-heading-summaries = Summaries of earlier talk
why-heading-profile = Your profile
why-heading-facts = Facts about you that match your question
why-heading-snippets = Earlier messages that match your question
why-heading-looked-up = Earlier messages that the model looked up
why-heading-recent = Recent talk, word for word
why-heading-here = Recent talk that is not stored
why-heading-cut = Left out, but still found when it matters
why-part-system = my instructions
why-part-profile = your profile
why-part-summaries = summaries
why-part-recent = recent talk, word for word
why-part-tools = tools and what they found
why-part-instructions = what you asked me to keep to
why-part-facts = facts about you
why-part-snippets = earlier messages that match
why-part-clock = date and time, and what you replied to
why-part-message = your message
why-part-overhead = the rest of the request
why-for-words = same words as your question
why-for-words-before = words of what you asked before
why-for-meaning = similar in meaning
why-for-nearby = next to something that fits
why-for-pinned = you pinned it
why-for-instruction = you asked for this
why-for-preference = you prefer this
why-for-speaker = you named who said it
why-for-reply = belongs to what you replied to
why-for-time = from the time you ask about
why-for-opening = opens the talk of that day
why-for-recent = said lately
why-loosely = only loosely related
why-until-then = Until then: “{ $text }”
why-count-recent = { $number ->
    [one] { $number } recent message
   *[other] { $number } recent messages
 }
why-count-facts = { $number ->
    [one] { $number } fact about you
   *[other] { $number } facts about you
 }
why-count-found = { $number ->
    [one] { $number } earlier message that was found
   *[other] { $number } earlier messages that were found
 }
why-count-profile = your profile
why-sources = Your question, and { $what }.
why-sources-none = Your question alone: nothing else was known.
why-size = The model { $model } got { $tokens } of at most { $most } tokens.
why-size-whole = The whole history would have been about { $tokens }.
why-tokens = { $tokens ->
    [one] { $tokens } token
   *[other] { $tokens } tokens
 }
why-tokens-of = { $tokens } of { $most ->
    [one] { $most } token
   *[other] { $most } tokens
 }
why-part = · { $part }: { $size }
why-here = { shared-messages }, which I know until I restart
why-summary = · { $dates }, { shared-messages }: “{ $text }”
why-gone = · { $number } more that have since been forgotten or rebuilt
why-profile-gone = It has since been erased.
why-profile = As of { $date } (always included): “{ $text }”
why-forgotten = forgotten since
why-fact = · “{ $text }” Since { $day }, learned from { $messages ->
    [one] { $messages } message
   *[other] { $messages } messages
 } of yours.
why-fact-by-hand = · “{ $text }” Since { $day }, added by hand.
why-why = Why: { $reason }
why-message-cut = Your message was too long and was cut in its middle.
why-cut-summary = An older summary: there was no room.
why-said = { $date } { $speaker }: “{ $text }”
why-span = { $first } to { $last }
why-cut-turns = Older messages: there was no room.
why-cut-archived = Older messages that no summary covers.
why-cut-document = Passages of a file: they are searched, not repeated.
why-details = Details
why-page = Page { $page } of { $pages }
