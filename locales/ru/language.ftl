language-question = На каком языке мне говорить? Отвечаю я на том языке, на котором ты пишешь.
language-automatic = Как в Telegram
language-chosen = Теперь я говорю на этом языке: { $language }.
language-button = Язык: { $language }
