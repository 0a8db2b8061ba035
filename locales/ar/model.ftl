# /model and /persona.

model-question = أي نموذج يجيب؟ الآن هو { $model }.
model-only = يوجد هنا نموذج واحد: { $model }.
model-chosen = من الآن يجيب { $model }.
model-can-see = · يرى { $model } الصور
model-can-not-see = · لا يرى { $model } الصور
model-button = النموذج: { $model }
model-manner-button = الأسلوب: { $persona }
model-manner-question = بأي أسلوب أجيب؟
model-persona-none = المعتاد
model-persona-brief = موجز
model-persona-warm = ودود
model-persona-teacher = معلّم
model-persona-expert = خبير
model-persona-simple = بسيط
model-persona-coach = مدرّب
model-persona-critic = ناقد
model-persona-editor = محرّر
model-persona-planner = مخطِّط
model-persona-listener = مستمع
model-persona-storyteller = راوٍ
model-persona-tutor = معلّم لغات
model-persona-own = بكلماتي…
model-own-now = أجيب بهذا الأسلوب: «{ $text }»
model-own-question = صف الأسلوب الذي تريد أن أجيب به. أقصى عدد للأحرف { $most }.
model-own-example = مثل قرصان، لكن بأدب
