web-no-session = Dieser Link wurde schon benutzt oder ist zu alt. Schick mir /dashboard für einen neuen.
web-not-served = Dieser Bot antwortet dir nicht. Bitte den Betreiber, dich zuzulassen.
web-not-yours = Dieses Gedächtnis gehört jemand anderem. In einer Gruppe sehen nur deren Admins diese Seite.
web-too-large = Das ist zu groß.
web-elsewhere = Dein Gedächtnis ist gerade anderswo in Gebrauch. Bitte versuch es gleich noch einmal.
web-menu-button = Gedächtnis
web-open = Mein Gedächtnis öffnen
web-link =
    Alles, was ich mir hier gemerkt habe, auf einer Seite. Dieser Link gilt einmal und { $minutes } Minuten lang, behalte ihn also für dich:
    { $link }
web-sent = Ich habe dir den Link in unserem privaten Chat geschickt.
web-none = So eine Seite gibt es hier nicht.
web-set = So eine Seite gibt es noch nicht. Setze { $setting } auf die https-Adresse, unter der sie erreichbar ist, und starte den Bot neu.
web-anonymous = Du schreibst als anonymer Admin, also weiß ich nicht, wem ich den Link schicken soll. Schick den Befehl unter deinem eigenen Namen.
web-saved = Gespeichert.
web-begun = Es hat begonnen.
