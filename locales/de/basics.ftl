basics-hello = Hallo, ich bin Keepsake: ein Chatbot, der sich merkt, was du ihm erzählst.
basics-stored = Ist das Gedächtnis an, liegen deine Nachrichten, meine Antworten, Zusammenfassungen und Einstellungen auf dem Rechner, auf dem ich laufe. Um zu antworten, schicke ich deine Nachricht und was dazugehört an ein Sprachmodell. Ist das Gedächtnis aus, vergesse ich dieses Gespräch beim nächsten Neustart.
basics-stored-group = In dieser Gruppe bewahre ich nur auf, was an mich gerichtet ist, und die Namen dazu. Aus privaten Chats kommt nichts hierher. Mitglieder löschen ihre eigenen Worte, indem sie mit /forget darauf antworten; Admins löschen alles.
basics-reminders = Erinnerungen bleiben, bis sie geschickt oder gelöscht sind.
basics-forgetting = /forget löscht endgültig, aber nicht, was Telegram und der Anbieter des Modells aufbewahren.
basics-mode-on = Das Gedächtnis ist an und liegt in { $storage }.
basics-mode-incognito = 🕶 Inkognito ist an: Ich lese mein Gedächtnis und schreibe nichts hinein.
basics-mode-off = Das Gedächtnis ist aus: Ich speichere nichts, bis es eingeschaltet wird.
basics-turn-on = Gedächtnis einschalten
basics-button-stored = Was gespeichert wird
basics-button-help = Hilfe
basics-button-more = Mehr
basics-see-help = /help sagt, was ich kann, und /privacy, was ich speichere.
basics-just-write = Schreib mir einfach, dann antworte ich.
basics-just-mention = Erwähn mich oder antworte mir, dann antworte ich.
basics-row = { $command } – { $description }
basics-retention = Zusammengefasstes, das älter als { $days ->
    [one] ein Tag
   *[other] { $days } Tage
 } ist, wird endgültig gelöscht.
