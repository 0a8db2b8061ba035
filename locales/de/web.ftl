web-no-session = Dieser Link ist verbraucht oder zu alt, oder du hast dich abgemeldet. Schick mir /dashboard für einen neuen.
web-not-served = Bitte den Betreiber des Bots, dich zuzulassen.
web-not-yours = Dieses Gedächtnis gehört jemand anderem; das einer Gruppe sehen nur ihre Admins.
web-too-large = Das ist zu groß.
web-elsewhere = Dein Gedächtnis ist gerade in Gebrauch. Bitte versuch es gleich noch einmal.
web-one-file = Eine andere Datei ist noch unterwegs. Bitte versuch es gleich noch einmal.
web-open = Mein Gedächtnis öffnen
web-link =
    Alles, was ich mir hier gemerkt habe. Der Link gilt einmal und { $minutes } Minuten lang; behalte ihn für dich:
    { $link }
web-none = So eine Seite gibt es hier nicht.
web-set = So eine Seite gibt es noch nicht: Setze { $setting } auf ihre https-Adresse und starte den Bot neu.
web-anonymous = Du schreibst als anonymer Admin. Schick den Befehl unter deinem eigenen Namen.
web-saved = Gespeichert.
