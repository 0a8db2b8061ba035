"""The families of commands and buttons, one file each.

A new command is a method of a family, declared with @Command; a new family is a file and its row in registry.py.

admin.py               /admin: people, health, latest errors; decisions about strangers who ask to be let in
answers.py             the buttons under an answer: regenerate, continue, try again, stop
basics.py              /start, /help, /privacy and /stop
broadcast.py           a message of an admin to everybody
buttons.py             signed callback data, keyboards, and the buttons of the last answer
chats.py               /new and /chats: several conversations, of which one is open
choices.py             /settings: every choice in one message; /tz, /incognito, /language
dashboard.py           /dashboard: the page of one's memory
exporting.py           /export: for people, or for a machine
family.py              the base class of families, their declarations, and questions that a text answers
forget.py              /forget: the preview, the confirmation, the receipt
forget_targets.py      the targets of /forget, in words and in a payload
importing.py           /import: files and pasted texts, and learning facts from them
memory.py              /memory
models.py              /model and /persona: the model and its style
proposals.py           proposals of the model to remember, forget or do something
registry.py            all families, and the dispatch to them
reminders.py           /reminders, offers of reminders, and sending them
search.py              /search and its "More" button
summaries.py           the commands that begin with /summary_
usage.py               /usage: tokens and costs
why.py                 /why: what an answer was made from
wizard.py              /summary in two steps, and /cancel
wording.py             texts that several families share
"""
