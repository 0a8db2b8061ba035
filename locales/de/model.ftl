# /model and /persona.

model-question = Welches Modell soll antworten? Jetzt ist es { $model }.
model-only = Hier gibt es nur ein Modell: { $model }.
model-chosen = Ab jetzt antwortet { $model }.
model-can-see = · { $model } sieht Bilder
model-can-not-see = · { $model } sieht keine Bilder
model-button = Modell: { $model }
model-manner-button = Stil: { $persona }
model-manner-question = In welchem Stil soll ich antworten?
model-persona-none = Üblich
model-persona-brief = Knapp
model-persona-warm = Herzlich
model-persona-teacher = Lehrer
model-persona-expert = Experte
model-persona-simple = Einfach
model-persona-coach = Coach
model-persona-critic = Kritiker
model-persona-editor = Lektor
model-persona-planner = Planer
model-persona-listener = Zuhörer
model-persona-storyteller = Erzähler
model-persona-tutor = Sprachlehrer
model-persona-own = Eigene Worte …
model-own-now = Ich antworte in diesem Stil: „{ $text }“
model-own-question = Beschreibe in höchstens { $most } Zeichen, in welchem Stil ich antworten soll.
model-own-example = Wie ein Pirat, aber höflich
