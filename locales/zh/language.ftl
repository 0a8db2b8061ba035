language-question = 我用哪种语言和你说话？这个选择只影响菜单和提示语；回答时，我会用你所用的语言。
language-question-group = 我在本群用哪种语言说话？这个选择只影响菜单和提示语；回答时，我会用大家所用的语言。
language-automatic = 跟随 Telegram
language-chosen = 我现在用{ $language }说话。
language-chosen-automatic = 我现在跟随你的 Telegram 语言：{ $language }。
language-unknown = 我不会说“{ $wanted }”。请点击其中一个按钮，或发送以下之一：{ $names }。
language-button = 语言：{ $language }
