language-question = In welcher Sprache soll ich mit dir sprechen? Die Wahl gilt für meine Menüs und Hinweise; meine Antworten folgen der Sprache, in der du schreibst.
language-question-group = In welcher Sprache soll ich in dieser Gruppe sprechen? Die Wahl gilt für meine Menüs und Hinweise; meine Antworten folgen der Sprache, in der ihr schreibt.
language-automatic = Wie in Telegram
language-chosen = Ich spreche jetzt { $language }.
language-chosen-automatic = Ich folge jetzt der Sprache deines Telegram: { $language }.
language-unknown = Ich spreche nicht „{ $wanted }“. Tippe auf einen der Knöpfe oder sende eines von diesen: { $names }.
language-button = Sprache: { $language }
