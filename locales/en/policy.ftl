# /summary_policy, /summary_prompt, /summary_rebuild. Each policy has its name, and what it does.

policy-name-pyramid = Pyramid
policy-name-rolling = Rolling
policy-name-sliding = Sliding
policy-about-pyramid = a summary every { shared-turns }; older summaries are summarised again. The usual choice.
policy-about-rolling = one short summary of all but the newest messages, rewritten every 8 messages. Cheapest; old details fade first.
policy-about-sliding = one short summary of the last 14 messages, after each of yours. Older ones are found only by search.
policy-automatic = Automatic summaries
policy-by-hand = Automatic summaries are off: only /summary_now makes them.
policy-heading = How I summarise: { $policy }
policy-keeps = Every message stays and can be found. /summary_rebuild makes earlier summaries again.
policy-prompt-gone = Your wishes for summaries are gone.
policy-prompt-kept = New summaries follow this. /summary_prompt reset removes it.
policy-prompt-usual = Summaries keep names, dates, numbers and decisions.
policy-prompt-none = To add a wish: /summary_prompt and your text.
policy-prompt-yours = Your wishes for summaries (/summary_prompt reset removes them):
policy-rebuilding = Making all summaries again: { $done } of { $total }. The old ones serve until then.
policy-rebuilt = All summaries are made again ({ shared-summaries }). /summary_show shows them.
policy-rebuild-failed = { $why } The earlier summaries stay.
