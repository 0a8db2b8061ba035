# /model and /persona.

model-question = Какая модель должна отвечать? Сейчас это { $model }.
model-only = Здесь одна модель: { $model }.
model-chosen = Теперь отвечает { $model }.
model-can-see = · { $model } видит картинки
model-can-not-see = · { $model } не видит картинок
model-button = Модель: { $model }
model-manner-button = Стиль: { $persona }
model-manner-question = В каком стиле мне отвечать?
model-persona-none = Обычный
model-persona-brief = Кратко
model-persona-warm = Тепло
model-persona-teacher = Учитель
model-persona-expert = Эксперт
model-persona-simple = Просто
model-persona-coach = Тренер
model-persona-critic = Критик
model-persona-editor = Редактор
model-persona-planner = Планировщик
model-persona-listener = Слушатель
model-persona-storyteller = Рассказчик
model-persona-tutor = Учитель языка
model-persona-own = Своими словами…
model-own-now = Я отвечаю в этом стиле: «{ $text }»
model-own-question = Опиши, в каком стиле мне отвечать (не больше { $most } символов).
model-own-example = Как пират, но вежливо
