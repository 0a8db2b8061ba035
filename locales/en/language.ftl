language-question = In which language shall I speak with you? My own words follow this choice; my answers follow the language in which you write.
language-question-group = In which language shall I speak in this group? My own words follow this choice; my answers follow the language in which you write.
language-automatic = As in Telegram
language-chosen = I speak { $language } now.
language-chosen-automatic = I follow the language of your Telegram now: { $language }.
language-unknown = I do not speak “{ $wanted }”. Press one of the buttons, or send one of these: { $names }.
language-button = Language: { $language }
