# /model and /persona.

model-question = Какая модель должна отвечать? Сейчас это { $model }.
model-only = Здесь одна модель: { $model }.
model-unknown = Модели «{ $wanted }» здесь нет. Есть: { $names }.
model-gone = Эта модель больше не предлагается.
model-chosen = Теперь отвечает { $model }.
model-button = Модель: { $model }
model-manner-button = Манера: { $persona }
model-manner-question = В какой манере мне отвечать?
model-persona-none = Обычная
model-persona-brief = Кратко
model-persona-warm = Тепло
model-persona-teacher = Учитель
model-persona-expert = Эксперт
model-persona-own = Своими словами…
model-own-now = Сейчас твоими словами: «{ $text }»
model-own-question = Опиши, самое большее в { $most } знаках, в какой манере мне отвечать.
model-own-example = Как пират, но вежливо
model-own-too-long = Здесь { $length } знаков, а можно не больше { $most }.
model-own-chosen = Теперь я отвечаю так: «{ $text }». Изменить можно командой /persona.
model-toast-none = Теперь обычная манера.
model-toast-brief = Теперь кратко.
model-toast-warm = Теперь тепло.
model-toast-teacher = Теперь как учитель.
model-toast-expert = Теперь как эксперт.
