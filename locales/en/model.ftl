# /model and /persona.

model-question = Which model should answer? Now it is { $model }.
model-only = There is one model here: { $model }.
model-unknown = I know no model “{ $wanted }” here. There are: { $names }.
model-gone = This model is no longer offered.
model-chosen = { $model } answers from now on.
model-button = Model: { $model }
model-manner-button = Manner: { $persona }
model-manner-question = In what manner should I answer?
model-persona-none = Usual
model-persona-brief = Brief
model-persona-warm = Warm
model-persona-teacher = Teacher
model-persona-expert = Expert
model-persona-own = My own words…
model-own-now = Your own words now: “{ $text }”
model-own-question = Describe in at most { $most } characters in what manner I should answer.
model-own-example = Like a pirate, but polite
model-own-too-long = That has { $length } characters; { $most } are the most.
model-own-chosen = I answer in this manner from now on: “{ $text }”. /persona changes it.
model-toast-none = The usual manner from now on.
model-toast-brief = Brief from now on.
model-toast-warm = Warm from now on.
model-toast-teacher = Like a teacher from now on.
model-toast-expert = Like an expert from now on.
