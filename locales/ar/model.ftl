# /model and /persona.

model-question = أي نموذج يجيب؟ الآن هو { $model }.
model-only = يوجد هنا نموذج واحد: { $model }.
model-unknown = لا أعرف هنا نموذجًا باسم «{ $wanted }». المتاح: { $names }.
model-gone = لم يعد هذا النموذج متاحًا.
model-chosen = من الآن يجيب { $model }.
model-button = النموذج: { $model }
model-manner-button = الأسلوب: { $persona }
model-manner-question = بأي أسلوب أجيب؟
model-persona-none = المعتاد
model-persona-brief = موجز
model-persona-warm = ودود
model-persona-teacher = معلّم
model-persona-expert = خبير
model-persona-own = بكلماتي…
model-own-now = الآن بكلماتك: «{ $text }»
model-own-question = صف في { $most } حرفًا على الأكثر الأسلوب الذي أجيب به.
model-own-example = مثل قرصان، لكن بأدب
model-own-too-long = عدد الأحرف { $length }، والحد الأقصى { $most }.
model-own-chosen = من الآن أجيب هكذا: «{ $text }». غيّره بالأمر ⁨/persona⁩.
model-toast-none = من الآن بالأسلوب المعتاد.
model-toast-brief = من الآن بإيجاز.
model-toast-warm = من الآن بودّ.
model-toast-teacher = من الآن مثل معلّم.
model-toast-expert = من الآن مثل خبير.
