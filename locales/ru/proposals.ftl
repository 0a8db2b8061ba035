proposals-ask-remember = Запомнить это?
proposals-yes-remember = Запомнить
proposals-memory-off = Память выключена или включено инкогнито: ничего не изменилось.
proposals-remembered = Запомнено: { $text }
proposals-ask-command = Сделать это для тебя?
proposals-yes-command = Да
proposals-declined = Ничего не изменилось.
