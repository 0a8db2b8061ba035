# /model and /persona.

model-question = Which model should answer? Now it is { $model }.
model-only = There is one model here: { $model }.
model-chosen = { $model } answers from now on.
model-can-see = · { $model } sees pictures
model-can-not-see = · { $model } sees no pictures
model-button = Model: { $model }
model-manner-button = Style: { $persona }
model-manner-question = In what style should I answer?
model-persona-none = Usual
model-persona-brief = Brief
model-persona-warm = Warm
model-persona-teacher = Teacher
model-persona-expert = Expert
model-persona-simple = Simple
model-persona-coach = Coach
model-persona-critic = Critic
model-persona-editor = Editor
model-persona-planner = Planner
model-persona-listener = Listener
model-persona-storyteller = Storyteller
model-persona-tutor = Language tutor
model-persona-own = My own words…
model-own-now = I answer in this style: “{ $text }”
model-own-question = Describe in at most { $most } characters in what style I should answer.
model-own-example = Like a pirate, but polite
