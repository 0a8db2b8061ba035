language-question = Which language should I speak with you? My menus and notices follow this choice; my answers follow the language in which you write.
language-question-group = Which language should I speak in this group? My menus and notices follow this choice; my answers follow the language in which you write.
language-automatic = As in Telegram
language-chosen = I speak { $language } now.
language-chosen-automatic = I follow the language of your Telegram now: { $language }.
language-unknown = I do not speak “{ $wanted }”. Press one of the buttons, or send one of these: { $names }.
language-button = Language: { $language }
