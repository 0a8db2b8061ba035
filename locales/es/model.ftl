# /model and /persona.

model-question = ¿Qué modelo debe responder? Ahora es { $model }.
model-only = Aquí hay un solo modelo: { $model }.
model-unknown = Aquí no conozco ningún modelo «{ $wanted }». Hay: { $names }.
model-gone = Este modelo ya no se ofrece.
model-chosen = A partir de ahora responde { $model }.
model-button = Modelo: { $model }
model-manner-button = Manera: { $persona }
model-manner-question = ¿De qué manera debo responder?
model-persona-none = Habitual
model-persona-brief = Breve
model-persona-warm = Cálida
model-persona-teacher = Profesor
model-persona-expert = Experto
model-persona-own = Con mis palabras…
model-own-now = Ahora con tus palabras: «{ $text }»
model-own-question = Describe en { $most } caracteres como máximo de qué manera debo responder.
model-own-example = Como un pirata, pero educado
model-own-too-long = Eso tiene { $length } caracteres; el máximo es { $most }.
model-own-chosen = A partir de ahora respondo así: «{ $text }». /persona lo cambia.
model-toast-none = A partir de ahora, la manera habitual.
model-toast-brief = A partir de ahora, breve.
model-toast-warm = A partir de ahora, cálida.
model-toast-teacher = A partir de ahora, como un profesor.
model-toast-expert = A partir de ahora, como un experto.
