shared-messages = { $messages ->
    [zero] { $messages } رسالة
    [one] رسالة واحدة
    [two] رسالتان
    [few] { $messages } رسائل
   *[other] { $messages } رسالة
 }
shared-turns = { $turns ->
    [zero] { $turns } رسالة منك
    [one] رسالة واحدة منك
    [two] رسالتين منك
    [few] { $turns } رسائل منك
   *[other] { $turns } رسالة منك
 }
shared-facts = { $facts ->
    [zero] { $facts } معلومة
    [one] معلومة واحدة
    [two] معلومتان
    [few] { $facts } معلومات
   *[other] { $facts } معلومة
 }
shared-summaries = { $summaries ->
    [zero] { $summaries } ملخص
    [one] ملخص واحد
    [two] ملخصان
    [few] { $summaries } ملخصات
    [many] { $summaries } ملخصًا
   *[other] { $summaries } ملخص
 }
shared-and = { $first } و{ $last }
shared-or = { $first } أو { $last }
shared-comma = ،{ " " }
shared-semicolon = ؛{ " " }
shared-quoted = «{ $text }»
shared-yesterday = أمس
shared-today = اليوم
shared-tomorrow = غدًا
shared-you = أنت
shared-me = أنا
shared-tool = أداة
shared-admins-only = لا يمكن إلا لمشرفي هذه المجموعة تغيير إعدادات ذاكرتها.
shared-dead-button = لم يعد هذا الزر يعمل.
shared-not-yours = هذا الزر يخص شخصًا آخر.
shared-not-here = لا يعمل هذا الزر هنا.
shared-failed = لم ينجح ذلك. حاول مرة أخرى من فضلك.
shared-takes-nothing = لا يأتي بعد الأمر { $command } أي نص، لذلك لم أفعل شيئًا. أرسل { $command } وحده.
shared-unknown = لا أعرف الأمر { $command }. يعرض ⁨/help⁩ كل الأوامر.
shared-unknown-near = لا أعرف الأمر { $command }. هل تقصد { $near }؟ يعرض ⁨/help⁩ كل الأوامر.
shared-once-more = حاول مرة أخرى، أو أرسل ⁨/cancel⁩ ليبقى كل شيء كما هو.
shared-too-long = عدد الحروف { $length } والحد الأقصى { $most }. لم يتغير شيء.
