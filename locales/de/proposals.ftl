proposals-ask-remember = Soll ich mir das merken?
proposals-yes-remember = Merken
proposals-memory-off = Das Gedächtnis ist aus, oder du bist inkognito: Nichts wurde geändert.
proposals-remembered = Gemerkt: { $text }
proposals-ask-command = Soll ich das für dich tun?
proposals-yes-command = Ja, bitte
proposals-declined = Nichts wurde geändert.
