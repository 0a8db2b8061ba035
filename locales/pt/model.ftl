# /model and /persona.

model-question = Qual modelo deve responder? Agora é { $model }.
model-only = Há um só modelo aqui: { $model }.
model-unknown = Não conheço nenhum modelo “{ $wanted }” aqui. Há: { $names }.
model-gone = Este modelo não é mais oferecido.
model-chosen = A partir de agora quem responde é { $model }.
model-button = Modelo: { $model }
model-manner-button = Maneira: { $persona }
model-manner-question = De que maneira devo responder?
model-persona-none = Habitual
model-persona-brief = Breve
model-persona-warm = Calorosa
model-persona-teacher = Professor
model-persona-expert = Especialista
model-persona-own = Com minhas palavras…
model-own-now = Agora com suas palavras: “{ $text }”
model-own-question = Descreva em no máximo { $most } caracteres de que maneira devo responder.
model-own-example = Como um pirata, mas educado
model-own-too-long = Isso tem { $length } caracteres; o máximo é { $most }.
model-own-chosen = A partir de agora respondo assim: “{ $text }”. /persona muda isso.
model-toast-none = A partir de agora, a maneira habitual.
model-toast-brief = A partir de agora, breve.
model-toast-warm = A partir de agora, calorosa.
model-toast-teacher = A partir de agora, como um professor.
model-toast-expert = A partir de agora, como um especialista.
