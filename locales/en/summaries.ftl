# /summary_status, _show, _on, _off and _now.

summaries-not-configured = Memory is not set up yet. /summary sets it up; /summary_on turns it on with the usual choices (SQLite, every 20 messages).
summaries-none = There are no summaries yet. /summary_status shows when the next is due.
summaries-never-on = Memory is off already: it was never turned on, and nothing is stored.
summaries-off-already = Memory is off already. What is stored stays stored.
summaries-off = Memory is off. What is stored stays, and so do your settings; I neither read nor add anything until /summary_on.
summaries-now-off = Nothing to summarise: memory is off. /summary_on turns it on.
summaries-toast-on = Memory is on.
summaries-on-already = Memory is on already ({ $storage }, { shared-turns }).
summaries-on = Memory is on: I keep it in { $storage } and summarise every { shared-turns }. I remember from now on; what was said before is not stored.
summaries-on-again = Memory is on: I keep it in { $storage } and summarise every { shared-turns }. What was said while it was off is not stored.
summaries-status-unset = Memory: disabled (not set up yet)
summaries-status-storage-unset = Storage: SQLite (if you turn it on)
summaries-status-threshold-unset = Threshold: { shared-turns } (if you turn it on)
summaries-status-enabled = Memory: enabled
summaries-status-disabled = Memory: disabled
summaries-status-storage = Storage: { $storage }
summaries-status-threshold = Threshold: { shared-turns }
summaries-status-policy = Policy: { $policy }
summaries-status-policy-by-hand = Policy: { $policy } (automatic summaries are off)
summaries-status-since = Messages since last summary: { $number }
summaries-status-total = Total messages: { $number }
summaries-status-archived = Archived messages: { $number }
summaries-status-active = Active summaries: { $number }
summaries-status-level = Highest level: { $number }
summaries-status-compressed = The oldest detail was compressed { $times ->
    [one] { $times } time
   *[other] { $times } times
 }.
summaries-status-rebuilding = All summaries are being rebuilt: { $done } of { $parts ->
    [one] { $parts } part
   *[other] { $parts } parts
 }.
summaries-status-learning = Learning facts from imported history: { $done } of { $total } of your messages.
summaries-status-saved = Tokens saved so far: about { $tokens }
summaries-status-incognito = { $mark }: memory is read, nothing is written (/incognito off ends it)
summaries-status-folding = A summary is being made right now.
summaries-status-index = Search index: { $done } of { shared-messages }
summaries-status-unreadable = Found by words only: { shared-messages }
summaries-status-words-only = Search by meaning is not working right now; search by words is.
summaries-status-failure = Last failure: { $date }: { $error } (nothing was lost)
summaries-status-one-of = These figures are of the open conversation; there are { $number } in all (/chats).
summaries-status-json-large = With more than { $most } messages SQLite is recommended: /summary moves everything.
summaries-utc = { $date } UTC
summaries-one = { $kind } · { $dates } · { shared-messages }
summaries-folded = Summarised { shared-messages }: { $summaries ->
    [one] { $summaries } new summary
   *[other] { $summaries } new summaries
 }. /summary_show shows them.
summaries-folded-older = Summarised older summaries: { $summaries ->
    [one] { $summaries } new summary
   *[other] { $summaries } new summaries
 }. /summary_show shows them.
summaries-nothing = Nothing to summarise: everything is summarised, or nothing has been said yet.
summaries-busy = A summary is being made right now. Please try again in a moment.
summaries-waiting = { $why } Nothing was lost: it will be summarised then.
summaries-not-made = The summary could not be made.
summaries-failed = { $why } Nothing was lost, and I will try again.
summaries-kind-1 = Summary
summaries-kind-2 = Summary of earlier summaries
summaries-kind-3 = Overview of the oldest talk
summaries-status-newest-good = The newest summary keeps what matters.
summaries-status-newest-fair = The newest summary keeps most of what matters.
summaries-status-newest-poor = The newest summary leaves out a good deal. Every word can still be found.
