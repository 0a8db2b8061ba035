# /model and /persona.

model-question = Qual modelo deve responder? Agora é { $model }.
model-only = Há um só modelo aqui: { $model }.
model-chosen = A partir de agora quem responde é { $model }.
model-can-see = · { $model } vê imagens
model-can-not-see = · { $model } não vê imagens
model-button = Modelo: { $model }
model-manner-button = Estilo: { $persona }
model-manner-question = Com que estilo devo responder?
model-persona-none = Habitual
model-persona-brief = Breve
model-persona-warm = Caloroso
model-persona-teacher = Professor
model-persona-expert = Especialista
model-persona-simple = Simples
model-persona-coach = Treinador
model-persona-critic = Crítico
model-persona-editor = Editor
model-persona-planner = Planejador
model-persona-listener = Ouvinte
model-persona-storyteller = Contador de histórias
model-persona-tutor = Professor de idiomas
model-persona-own = Com minhas palavras…
model-own-now = Respondo com este estilo: “{ $text }”
model-own-question = Descreva em no máximo { $most } caracteres o estilo com que devo responder.
model-own-example = Como um pirata, mas educado
