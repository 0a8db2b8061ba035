# /model and /persona.

model-question = ¿Qué modelo debe responder? Ahora es { $model }.
model-only = Aquí hay un solo modelo: { $model }.
model-chosen = A partir de ahora responde { $model }.
model-can-see = · { $model } ve imágenes
model-can-not-see = · { $model } no ve imágenes
model-button = Modelo: { $model }
model-manner-button = Estilo: { $persona }
model-manner-question = ¿Con qué estilo debo responder?
model-persona-none = Habitual
model-persona-brief = Breve
model-persona-warm = Cálido
model-persona-teacher = Profesor
model-persona-expert = Experto
model-persona-simple = Sencillo
model-persona-coach = Entrenador
model-persona-critic = Crítico
model-persona-editor = Editor
model-persona-planner = Planificador
model-persona-listener = Oyente
model-persona-storyteller = Narrador
model-persona-tutor = Profesor de idiomas
model-persona-own = Con mis palabras…
model-own-now = Respondo con este estilo: «{ $text }»
model-own-question = Describe en { $most } caracteres como máximo el estilo con el que debo responder.
model-own-example = Como un pirata, pero educado
