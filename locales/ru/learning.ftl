learning-offer = Узнать из этого факты
learning-what-it-takes = Факты отсюда я изучаю, только если попросишь. { shared-messages }: токенов около { $tokens } (запросов: { $requests }).
learning-begun = Я изучаю факты отсюда. Как далеко: /summary_status
learning-busy = Я ещё учусь из прежнего импорта.
learning-off = Сейчас я не могу учиться: память выключена, включено инкогнито или обучение здесь отключено.
learning-nothing = Здесь больше нечего изучать.
learning-stopped = Я остановился. Изученное остаётся.
