# /model and /persona.

model-question = 由哪个模型回答？现在是 { $model }。
model-only = 这里只有一个模型：{ $model }。
model-unknown = 这里没有模型“{ $wanted }”。可选：{ $names }。
model-gone = 这个模型已不再提供。
model-chosen = 从现在起由 { $model } 回答。
model-button = 模型：{ $model }
model-manner-button = 风格：{ $persona }
model-manner-question = 我应该用什么风格回答？
model-persona-none = 平常
model-persona-brief = 简短
model-persona-warm = 亲切
model-persona-teacher = 老师
model-persona-expert = 专家
model-persona-own = 用我自己的话…
model-own-now = 现在用你自己的话：“{ $text }”
model-own-question = 请用最多 { $most } 个字符描述我应该用什么风格回答。
model-own-example = 像海盗，但要有礼貌
model-own-too-long = 这有 { $length } 个字符，最多 { $most } 个。
model-own-chosen = 从现在起我这样回答：“{ $text }”。用 /persona 更改。
model-toast-none = 从现在起用平常的风格。
model-toast-brief = 从现在起简短。
model-toast-warm = 从现在起亲切。
model-toast-teacher = 从现在起像老师一样。
model-toast-expert = 从现在起像专家一样。
