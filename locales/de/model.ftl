# /model and /persona.

model-question = Welches Modell soll antworten? Jetzt ist es { $model }.
model-only = Hier gibt es nur ein Modell: { $model }.
model-unknown = Ein Modell „{ $wanted }“ kenne ich hier nicht. Es gibt: { $names }.
model-gone = Dieses Modell wird nicht mehr angeboten.
model-chosen = Ab jetzt antwortet { $model }.
model-button = Modell: { $model }
model-manner-button = Art: { $persona }
model-manner-question = In welcher Art soll ich antworten?
model-persona-none = Gewohnt
model-persona-brief = Knapp
model-persona-warm = Herzlich
model-persona-teacher = Lehrer
model-persona-expert = Experte
model-persona-own = Eigene Worte…
model-own-now = Jetzt deine eigenen Worte: „{ $text }“
model-own-question = Beschreibe in höchstens { $most } Zeichen, in welcher Art ich antworten soll.
model-own-example = Wie ein Pirat, aber höflich
model-own-too-long = Das hat { $length } Zeichen; höchstens { $most } sind möglich.
model-own-chosen = Ab jetzt antworte ich so: „{ $text }“. /persona ändert es.
model-toast-none = Ab jetzt in der gewohnten Art.
model-toast-brief = Ab jetzt knapp.
model-toast-warm = Ab jetzt herzlich.
model-toast-teacher = Ab jetzt wie ein Lehrer.
model-toast-expert = Ab jetzt wie ein Experte.
