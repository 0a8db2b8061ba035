language-question = На каком языке мне с тобой говорить? Этот выбор касается меню и уведомлений; отвечаю я на том языке, на котором ты пишешь.
language-question-group = На каком языке мне говорить в этой группе? Этот выбор касается меню и уведомлений; отвечаю я на том языке, на котором мне пишут.
language-automatic = Как в Telegram
language-chosen = Теперь я говорю на этом языке: { $language }.
language-chosen-automatic = Теперь я следую языку твоего Telegram: { $language }.
language-unknown = Я не говорю на языке «{ $wanted }». Нажми одну из кнопок или отправь одно из этих слов: { $names }.
language-button = Язык: { $language }
