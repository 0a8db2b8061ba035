language-question = Which language shall I speak? My answers follow the language you write in.
language-automatic = As in Telegram
language-chosen = I speak { $language } now.
language-button = Language: { $language }
