memory-usage = 
    /memory shows what I know about you.
    /memory add TEXT – tell me something to remember
    /memory 12 – fact 12 with its history
    /memory edit 12 TEXT, and pin, unpin, delete or undo with a number
memory-add-what = Tell me what to remember: /memory add and one sentence.
memory-too-long = A fact has at most { $most } characters; this one has { $length }. Nothing was changed.
memory-not-on = Memory is not set up yet. /summary_on turns it on.
memory-not-for-one-person = In a channel's direct messages I keep no facts: everybody who writes to the channel would see them. What is said here I remember for you alone.
memory-incognito-on = Incognito is on, so I did not note this. /incognito off ends it.
memory-added = Noted: { $text }
memory-known-already = I know that already: { $text }
memory-full = I know { $most } facts already, and keep no more. /memory lists them, and lets you delete some.
memory-holds-no-longer = This is no longer true, so it cannot be pinned: { $text }
memory-no-such-fact = There is no fact { $id } that could be changed. /memory lists what I know.
memory-nothing-to-undo = That was not changed by hand, so there is nothing to undo.
memory-new-text =
    Please send the new text; until now: { $text }
    /cancel leaves it as it is.
memory-profile-erased = That version is erased.
memory-undone = It is as it was before; the other text is erased.
memory-undone-derived = It is as it was before; the other text is erased, and { $what } derived from it.
memory-distilling = I am rewriting the profile; I will tell you when it is done.
memory-distilling-already = The profile is being written right now.
memory-nothing-known = I know nothing about you yet. I learn facts from what you tell me while memory is on; /memory add TEXT adds one.
memory-nothing-known-group = I know nothing about this group yet. I learn facts from what its members tell me while memory is on; /memory add TEXT adds one.
memory-off = Memory is off: I learn nothing new, and use none of this until /summary_on.
memory-done-pin = Pinned, I keep it in mind with every answer: { $text }
memory-done-unpin = No longer pinned: { $text }
memory-done-delete = Deleted: { $text } Undo works for a day; /forget erases at once.
memory-done-undo = It is as it was before: { $text }
memory-heading-instruction = What you asked me to keep to
memory-heading-preference = What you prefer
memory-heading-facts = Facts
memory-count = { $heading } ({ $total })
memory-count-page = { $heading } ({ $total }, page { $page } of { $pages })
memory-worth-vital = always important
memory-worth-important = important
memory-worth-minor = minor
memory-title = What I know about you
memory-title-group = What I know about this group
memory-profile = Profile (version { $id }, { $day })
memory-deleted = Deleted; can be undone for a day:
memory-press = Press a number to see that fact: edit, pin, delete, undo.
memory-button-newer = ‹ Newer
memory-button-older = Older ›
memory-button-profile = Profile: versions, rewrite
memory-since = since { $day }
memory-earlier = { $number } earlier
memory-holds = True since { $from }; last said { $said }.
memory-held = True from { $from } until { $until }; last said { $said }.
memory-learned = Learned from { shared-messages }.
memory-by-hand = Added by hand.
memory-superseded = Replaced by: { $text }
memory-is-deleted = Deleted. Undo works for a day; then it is erased.
memory-button-undo-delete = Undo delete
memory-button-unpin = Unpin
memory-button-pin = Pin
memory-button-edit = Edit
memory-button-delete = Delete
memory-button-undo-edit = Undo edit
memory-button-all = ‹ All facts
memory-before = Until { $until }: { $text }
memory-before-now = Before, { $from } to now: { $text }
memory-no-profile = There is no profile yet. It is written once there is enough to say, or now by the button.
memory-profiles = { $versions ->
    [one] Profile: { $versions } version, the newest is in use.
   *[other] Profile: { $versions } versions, the newest is in use.
 }
memory-version = Version { $id }, { $day }
memory-button-rewrite = Rewrite now
memory-button-erase = Erase version { $id }
memory-rewritten = The profile is rewritten (version { $id }):
memory-not-enough = There is not enough yet to write a profile from.
memory-not-written = The profile was not written: { $why } Nothing was changed.
