# /model and /persona.

model-question = 由哪个模型回答？现在是 { $model }。
model-only = 这里只有一个模型：{ $model }。
model-chosen = 从现在起由 { $model } 回答。
model-can-see = · { $model } 能看图
model-can-not-see = · { $model } 不能看图
model-button = 模型：{ $model }
model-manner-button = 风格：{ $persona }
model-manner-question = 我应该用什么风格回答？
model-persona-none = 默认
model-persona-brief = 简短
model-persona-warm = 亲切
model-persona-teacher = 老师
model-persona-expert = 专家
model-persona-simple = 简单
model-persona-coach = 教练
model-persona-critic = 批评者
model-persona-editor = 编辑
model-persona-planner = 规划师
model-persona-listener = 倾听者
model-persona-storyteller = 讲故事的人
model-persona-tutor = 语言老师
model-persona-own = 用我自己的话……
model-own-now = 我按这种风格回答：“{ $text }”
model-own-question = 请用最多 { $most } 个字符描述我应该用什么风格回答。
model-own-example = 像海盗一样，但要有礼貌
