learning-offer = Извлечь отсюда факты
learning-what-it-takes = Факты отсюда я извлекаю, только если попросишь. { shared-messages }: токенов около { $tokens } (запросов: { $requests }).
learning-begun = Я извлекаю отсюда факты. Сколько уже сделано: /summary_status
learning-busy = Я ещё не закончил с прошлым импортом.
learning-off = Сейчас я не могу учиться: память выключена, включено инкогнито или обучение здесь отключено.
learning-nothing = Здесь больше нечего извлекать.
learning-stopped = Я остановился. Что я узнал, остаётся.
