language-question = Which language shall I speak with you? My answers follow the language in which you write.
language-question-group = Which language shall I speak in this group? My answers follow the language in which you write.
language-automatic = As in Telegram
language-chosen = I speak { $language } now.
language-chosen-automatic = I follow the language of your Telegram now: { $language }.
language-unknown = I do not speak “{ $wanted }”. Press a button, or send one of these: { $names }.
language-button = Language: { $language }
