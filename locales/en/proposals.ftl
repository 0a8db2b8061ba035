proposals-ask-remember = Shall I remember this?
proposals-yes-remember = Remember it
proposals-memory-off = Memory is off, or you are incognito: nothing was changed.
proposals-remembered = Remembered: { $text }
proposals-ask-command = Shall I do this for you?
proposals-yes-command = Do it
proposals-declined = Nothing was changed.
