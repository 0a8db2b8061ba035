# The setup of memory. Buttons are named by the storages themselves.

wizard-expired = This setup has expired: it waits 10 minutes. Nothing was changed. Send /summary to start again.
wizard-has-expired = This setup has expired.
wizard-stale = This button is from an earlier setup and does nothing any more. Send /summary to start again.
wizard-cancelled = Setup cancelled. Nothing was changed.
wizard-nothing-to-cancel = There is no setup to cancel.
wizard-first = Setup, step 1 of 2: where should your memory be kept?
wizard-offer-sqlite = • SQLite: a database file, fast however much there is. The usual choice.
wizard-offer-json = • JSON: a text file that people can read.
wizard-offer-postgres = • PostgreSQL: a database server, which several machines share.
wizard-on-one-machine = A memory in a file is on one of my machines alone: while that one is down, I do not answer here. Where several machines serve you, PostgreSQL is the usual choice.
wizard-leaves = /cancel leaves the setup.
wizard-second = Setup, step 2 of 2: after how many turns (your message and my answer) should I summarise? Press a number, or send a whole number from { $least } to { $most }; 20 is a good start. /cancel leaves the setup.
wizard-second-group = { $name }: Setup, step 2 of 2: after how many turns (your message and my answer) should I summarise? Press a number, or send a whole number from { $least } to { $most }; 20 is a good start. Reply to this message. /cancel leaves the setup.
wizard-no-number = That is not a whole number from { $least } to { $most }. Nothing is lost: please try again. /cancel leaves the setup.
wizard-no-number-group = { $name }: That is not a whole number from { $least } to { $most }. Nothing is lost: please try again. Reply to this message. /cancel leaves the setup.
wizard-somebody = You there
wizard-no-storage = I can keep your memory { $storages }, and in nothing else. Nothing is lost: please press one of the buttons, or send one of the names. /cancel leaves the setup.
wizard-in = in { $storage }
wizard-chosen-already = { $storage } is chosen. Now send a whole number from { $least } to { $most }.
wizard-storage-chosen = Setup, step 1 of 2: { $storage } is chosen.
wizard-number-chosen = Setup, step 2 of 2: { shared-turns }.
wizard-done = ✅ External memory configured
wizard-storage = Storage: { $storage }
wizard-threshold = Threshold: { shared-turns }
wizard-moved = Moved: { shared-messages } from { $from } to { $to }
wizard-from-now-on = From now on I remember what is said here. /summary_status shows the state of memory.
# Words that may stand around the number in an answer to the second question ("every 20 turns").
wizard-around-numbers = after each every please turn turns
