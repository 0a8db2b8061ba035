language-question = Welche Sprache soll ich sprechen? Meine Antworten folgen der Sprache, in der du schreibst.
language-automatic = Wie in Telegram
language-chosen = Ich spreche jetzt { $language }.
language-button = Sprache: { $language }
