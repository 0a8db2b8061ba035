basics-hello = Hallo! Ich bin Keepsake, ein Chatbot, der sich erinnert. Schreib mir einfach: Frühere Gespräche fasse ich zusammen, sie bleiben durchsuchbar und kommen wieder, wenn es darauf ankommt.
basics-hello-group = Hallo! Ich bin Keepsake, ein Chatbot, der sich erinnert. Hier antworte ich allen, die mich erwähnen oder mir antworten. Diese Gruppe hat ein eigenes Gedächtnis, das ihre Admins ein- und ausschalten; was ich aus privaten Chats weiß, kommt nie hierher.
basics-stored = Ist das Gedächtnis an, speichere ich, was du mir schreibst und was ich antworte, die Zusammenfassungen davon und deine Einstellungen: in Dateien auf dem Rechner, auf dem ich laufe (SQLite oder JSON, wie du willst). Um zu antworten, schicke ich deine Nachricht und das, was dazu wichtig ist, an das Sprachmodell, das mein Betreiber gewählt hat. Ist das Gedächtnis aus, speichere ich keine Nachrichten, und diese Unterhaltung ist nach einem Neustart vergessen.
basics-stored-group = Ich speichere nichts, was nicht an mich gerichtet ist. Ist das Gedächtnis an, speichere ich, was Mitglieder sagen, wenn sie mich erwähnen oder mir antworten, mit ihren Namen, dazu meine Antworten und die Zusammenfassungen davon: in Dateien auf dem Rechner, auf dem ich laufe. Um zu antworten, schicke ich die Nachricht und das, was dazu wichtig ist, an das Sprachmodell, das mein Betreiber gewählt hat. Ist das Gedächtnis aus, speichere ich keine Nachrichten. Mitglieder löschen ihre eigenen Worte, indem sie mit /forget darauf antworten; Admins löschen alles und exportieren alles in ihren privaten Chat.
basics-reminders = Erinnerungen werden aufbewahrt, bis ich sie geschickt habe oder du sie löschst, auch wenn das Gedächtnis aus ist.
basics-forgetting = /forget löscht eine Nachricht, einen Tag oder alles endgültig.
basics-not-mine = Was Telegram und der Anbieter des Modells aufbewahren, liegt nicht in meiner Hand.
basics-mode-on = Das Gedächtnis ist hier an und liegt in { $storage }.
basics-mode-incognito = Inkognito ist hier an: Das Gedächtnis wird gelesen, aber nichts geschrieben.
basics-mode-off = Das Gedächtnis ist hier aus.
basics-is-on = Das Gedächtnis ist an.
basics-is-off = Das Gedächtnis ist aus, bis du es einschaltest: mit dem Knopf unten, oder mit /summary, um zu wählen, wie.
basics-is-off-group = Das Gedächtnis ist aus, bis ein Admin es einschaltet: mit dem Knopf unten, oder mit /summary, um zu wählen, wie.
basics-turn-on = Gedächtnis einschalten
basics-see-help = /help zeigt, was ich kann.
basics-just-write = Schreib mir einfach, dann antworte ich.
basics-just-mention = In einer Gruppe antworte ich, wenn du mich erwähnst oder mir antwortest; die Gruppe hat ein eigenes Gedächtnis.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (nur Admins)
basics-retention = Mein Betreiber hat festgelegt, dass Zusammengefasstes, das älter als { $days ->
    [one] ein Tag
   *[other] { $days } Tage
 } ist, endgültig gelöscht wird.
