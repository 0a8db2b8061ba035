# The setup of memory. Buttons are named by the storages themselves.

wizard-expired = This setup has expired: it waits 10 minutes. /summary starts again.
wizard-cancelled = Cancelled. Nothing was changed.
wizard-nothing-to-cancel = There is nothing to cancel.
wizard-first = Step 1 of 2: where shall I keep your memory? /cancel ends the setup.
wizard-offer-sqlite = • SQLite: the usual choice, however much there is.
wizard-offer-json = • JSON: a text file that people can read.
wizard-offer-postgres = • PostgreSQL: a server that several machines share.
wizard-on-one-machine = A file is on one machine: while that is down, I cannot answer here.
wizard-second = Step 2 of 2: how often shall I summarise? Every 20 messages is a good start. Press a number, or reply with one from { $least } to { $most }.
wizard-no-number = Please send a whole number from { $least } to { $most }, or /cancel.
wizard-no-storage = Please press a button, or send { $storages }.
wizard-done = ✅ External memory configured
wizard-threshold = I summarise every { shared-turns }, and remember from now on what is said here.
wizard-moved = Moved: { shared-messages } from { $from } to { $to }
wizard-around-numbers = after each every please turn turns message messages of your my
