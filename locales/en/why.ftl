# What /why says of an answer. why-part-NAME: the parts of a prompt; why-for-NAME and why-against-NAME: what counted.

why-nothing-known = I have not answered anything here that I could explain yet.
why-not-this-one = I do not know what that message was made from. I can explain only my answers, and only the newest 100 of them. Reply to one with /why, or send /why alone for the last one.
why-title = What my answer of { $date } was made from
why-not-stored = This explanation is not stored: I forget it when I restart.
why-heading-parts = What the model was given
why-heading-summaries = Summaries of earlier talk
why-heading-profile = Your profile
why-heading-facts = Facts about you that match your question, best first
why-heading-snippets = Earlier messages brought back for your question, best first
why-heading-looked-up = Earlier messages that the model looked up by itself
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
why-part-snippets = earlier messages brought back
why-part-clock = date and time, and what you replied to
why-part-message = your message
why-part-overhead = overhead of the request
why-for-words = it holds words of your question
why-for-words-nearby = messages next to it hold them
why-for-words-before = it holds words of the turns before yours
why-for-words-before-nearby = messages next to it hold those
why-for-meaning = it means nearly the same
why-against-meaning = its meaning is further off
why-for-meaning-nearby = messages next to it mean nearly the same
why-against-meaning-nearby = those next to it are further off
why-for-fact = a fact that matters was learned from it
why-for-importance = it is important
why-against-importance = it is less important
why-for-pinned = you pinned it
why-for-instruction = you asked me to keep to it
why-for-preference = it is what you prefer
why-for-speaker = you named who said it
why-for-reply = you replied to it, or to what stands next to it
why-for-time = it was said at the time that is asked about
why-for-standing = you said what always holds, or what you prefer
why-against-assistant = it is a long answer of mine, which counts less
why-for-newer = you said it later than a message like it
why-mark-outdated = But you have said something newer about it, as I told the model.
why-mark-ended = Something in it is out of date, as I told the model.
why-mark-denial = Other words of yours may contradict it: I told the model to name both, and to ask.
why-until-then = Until then: “{ $text }”
why-no-reason = nothing matched better, and it fitted
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
why-why = Why: { $reasons }
why-message-cut = Your message was too long and was cut in its middle.
why-cut-summary = An older summary: there was no room for it.
why-said = { $date } { $speaker }: “{ $text }”
why-span = { $first } to { $last }
why-cut-turns = Older messages: there was no room for them.
why-cut-archived = Older messages that no summary covers.
why-cut-document = Passages of a file: they are searched, not repeated.
why-details = Details
why-page = Page { $page } of { $pages }
