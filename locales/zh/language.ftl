language-question = 我用哪种语言说话？回答时，我会用你所用的语言。
language-automatic = 跟随 Telegram
language-chosen = 我现在用{ $language }说话。
language-button = 语言：{ $language }
