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
shared-quoted = «{ $text }»
shared-yesterday = أمس
shared-today = اليوم
shared-tomorrow = غدًا
shared-you = أنت
shared-bot = البوت
shared-tool = أداة
shared-admins-only = لا يمكن ذلك إلا لمشرفي هذه المجموعة.
shared-dead-button = لم يعد هذا الزر يعمل. اطلب مرة أخرى من فضلك.
shared-not-yours = هذا الزر يخص شخصًا آخر.
shared-failed = لم ينجح ذلك. حاول مرة أخرى من فضلك.
shared-takes-nothing = لا يأتي بعد { $command } أي نص. أرسله وحده.
shared-unknown = لا أعرف الأمر { $command }. يعرض ⁨/help⁩ كل الأوامر.
shared-in-private = لا يعمل { $command } إلا في محادثتنا الخاصة.
shared-once-more = حاول مرة أخرى، أو أرسل ⁨/cancel⁩ ليبقى كل شيء كما هو.
shared-span = { $first } إلى { $last }
shared-no = لا
shared-near = هل تقصد { $near }؟
shared-too-long = عدد الحروف { $length } والحد الأقصى { $most }. لم يتغير شيء.
