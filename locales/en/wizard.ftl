# The setup of memory. Buttons are named by the storages themselves.

wizard-expired = This setup has expired: it waits 10 minutes. Nothing was changed. Send /summary to start again.
wizard-has-expired = This setup has expired.
wizard-stale = This button is from an earlier setup. Send /summary to start again.
wizard-cancelled = Setup cancelled. Nothing was changed.
wizard-nothing-to-cancel = There is no setup to cancel.
wizard-first = Step 1 of 2: where shall I keep your memory?
wizard-offer-sqlite = • SQLite: fast, however much there is. The usual choice.
wizard-offer-json = • JSON: a text file that people can read.
wizard-offer-postgres = • PostgreSQL: a server that several machines share.
wizard-on-one-machine = A file stays on one of my machines. While that one is down, I cannot answer here; PostgreSQL avoids that.
wizard-leaves = /cancel leaves the setup.
wizard-second = Step 2 of 2: how often shall I summarise? Every 20 messages is a good start. Press a number, or send one from { $least } to { $most }.
wizard-second-group = { $name }: step 2 of 2: how often shall I summarise? Every 20 messages is a good start. Press a number, or reply with one from { $least } to { $most }.
wizard-no-number = Please send a whole number from { $least } to { $most }, or /cancel.
wizard-no-number-group = { $name }: please reply with a whole number from { $least } to { $most }, or send /cancel.
wizard-somebody = You there
wizard-no-storage = I can keep your memory { $storages }. Press a button, or send one of the names. /cancel leaves the setup.
wizard-in = in { $storage }
wizard-chosen-already = { $storage } is chosen. Now send a number from { $least } to { $most }.
wizard-storage-chosen = Step 1 of 2: { $storage }.
wizard-number-chosen = Step 2 of 2: every { shared-turns }.
wizard-done = ✅ External memory configured
wizard-storage = Storage: { $storage }
wizard-threshold = I summarise every { shared-turns }.
wizard-moved = Moved: { shared-messages } from { $from } to { $to }
wizard-from-now-on = From now on I remember what is said here.
# Words that may stand around the number in an answer to the second question ("every 20 turns").
wizard-around-numbers = after each every please turn turns message messages of your my
