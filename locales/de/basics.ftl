basics-hello = Hallo, ich bin Keepsake: ein Chatbot, der sich merkt, was du ihm erzählst.
basics-hello-group = Hallo, ich bin Keepsake: Erwähnt mich oder antwortet mir, dann antworte ich und merke es mir.
basics-stored = Ist das Gedächtnis an, bewahre ich deine Nachrichten, meine Antworten, Zusammenfassungen davon und deine Einstellungen auf. Sie bleiben auf dem Rechner, auf dem ich laufe. Um zu antworten, schicke ich deine Nachricht und das, was dazugehört, an ein Sprachmodell. Ist das Gedächtnis aus, bewahre ich keine Nachrichten auf; nach einem Neustart ist dieses Gespräch vergessen.
basics-stored-group = Ich bewahre nichts auf, was nicht an mich gerichtet ist. Diese Gruppe hat ein eigenes Gedächtnis; was ich aus privaten Chats weiß, kommt nie hierher. Ist das Gedächtnis an, bewahre ich auf, was Mitglieder mir sagen, ihre Namen, meine Antworten und Zusammenfassungen. Sie bleiben auf dem Rechner, auf dem ich laufe. Um zu antworten, schicke ich die Nachricht und das, was dazugehört, an ein Sprachmodell. Mitglieder löschen ihre eigenen Worte, indem sie mit /forget darauf antworten. Admins löschen alles und exportieren alles in ihren privaten Chat.
basics-reminders = Erinnerungen bleiben, bis ich sie geschickt habe oder du sie löschst.
basics-forgetting = /forget löscht eine Nachricht, einen Tag oder alles endgültig.
basics-not-mine = Was Telegram und der Anbieter des Modells aufbewahren, kann ich nicht löschen.
basics-mode-on = Das Gedächtnis ist hier an und liegt in { $storage }.
basics-mode-incognito = Inkognito ist hier an: Das Gedächtnis wird gelesen, aber nichts geschrieben.
basics-mode-off = Das Gedächtnis ist hier aus.
basics-is-off = Das Gedächtnis ist aus: Ich speichere nichts, bis du es einschaltest.
basics-is-off-group = Das Gedächtnis ist aus: Ich speichere nichts, bis ein Admin es einschaltet.
basics-turn-on = Gedächtnis einschalten
basics-button-stored = Was gespeichert wird
basics-button-help = Hilfe
basics-button-more = Mehr
basics-see-help = /help sagt, was ich kann, und /privacy, was ich speichere.
basics-just-write = Schreib mir einfach, dann antworte ich.
basics-just-mention = In einer Gruppe antworte ich, wenn du mich erwähnst oder mir antwortest.
basics-row = { $command } – { $description }
basics-row-admins = { $command } – { $description } (nur Admins)
basics-retention = Zusammengefasstes, das älter als { $days ->
    [one] ein Tag
   *[other] { $days } Tage
 } ist, wird endgültig gelöscht.
