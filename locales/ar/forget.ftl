forget-members = لسحب كلامك أنت، رُدّ عليه بالأمر ⁨/forget⁩.
forget-usage =
    ماذا أنسى؟
    
    • رسالة: رُدّ عليها بالأمر ⁨/forget⁩
    • أيامًا: ⁨/forget⁩ أمس، ⁨/forget⁩ 1 مايو – 3 يونيو
    • ما تبحث عنه: اكتب الكلمات بعد ⁨/forget⁩
    • كل شيء: ⁨/forget⁩ كل شيء
    
    أسأل قبل أن أمحو شيئًا.
forget-final = لا يمكن التراجع عن هذا.
forget-clean = لم يبق منه شيء في ملفات البوت.
forget-traces = قد تبقى آثار في ملفات البوت مؤقتًا، والتنظيف مستمر.
forget-kept = لم يُنسَ شيء.
forget-gone = لا شيء من هذا في ذاكرة البوت.
forget-former = هذه الرسالة أقدم من ترقية هذه المجموعة إلى مجموعة خارقة. يمكن لمشرف محوها بالأمر ⁨/forget⁩ مع بعض كلماتها.
forget-no-such-date = لا يوجد مثل هذا التاريخ. اكتبه هكذا: 3 يونيو 2026.
forget-not-in-my-power = ليس في يد البوت: هذه المحادثة في تيليجرام، وما يحتفظ به مزوّد النموذج، والنسخ الاحتياطية السابقة.
forget-today = اليوم
forget-everything = كل شيء
forget-none-found = لا توجد هنا رسالة بهذه الكلمات.
forget-elsewhere = يبحث ⁨/search⁩ في كل المحادثات، ويفتح ⁨/chats⁩ إحداها.
forget-which = أيّها أنسى؟
forget-all = كلها ({ $number })
forget-maybe-more = قد يوجد المزيد.
forget-none-of-them = لا شيء منها
forget-keep-it = احتفظ به
forget-ask-this = هل أنسى هذا؟
forget-it = انسه
forget-them-too = انسها أيضًا
forget-all-of-it = انسَ كل شيء
forget-turn = انسَ السؤال والجواب
forget-turns = انسَ الأسئلة والأجوبة
forget-only-message = هذه الرسالة فقط
forget-only-messages = هذه الرسائل فقط
forget-erases = سيُمحى: { $what }.
forget-choices-stay = تُمحى أيضًا المنطقة الزمنية والأسلوب الخاص والرغبات في الملخصات. وتبقى الإعدادات الأخرى.
forget-done = تم النسيان.
forget-line = ‏⁨#{ $id }⁩ · { $date } · { $speaker }: «{ $text }»
forget-profiles = { $profiles ->
    [zero] { $profiles } نسخة من ملفك الشخصي
    [one] نسخة واحدة من ملفك الشخصي
    [two] نسختان من ملفك الشخصي
    [few] { $profiles } نسخ من ملفك الشخصي
   *[other] { $profiles } نسخة من ملفك الشخصي
 }
forget-versions = { $versions ->
    [zero] { $versions } نسخة سابقة
    [one] نسخة سابقة واحدة
    [two] نسختان سابقتان
    [few] { $versions } نسخ سابقة
   *[other] { $versions } نسخة سابقة
 }
forget-reminders = { $reminders ->
    [zero] { $reminders } تذكير
    [one] تذكير واحد
    [two] تذكيران
    [few] { $reminders } تذكيرات
    [many] { $reminders } تذكيرًا
   *[other] { $reminders } تذكير
 }
forget-answers = { $answers ->
    [zero] { $answers } جواب لاحق
    [one] جواب لاحق واحد
    [two] جوابان لاحقان
    [few] { $answers } أجوبة لاحقة
    [many] { $answers } جوابًا لاحقًا
   *[other] { $answers } جواب لاحق
 }
forget-import-stops = يجري استيراد الآن. سيتوقف، ويُحذف ما جلبه أيضًا.
forget-quotes = يقتبسه: { $what }.
forget-words-may-stay = قد تحتوي رسائل أخرى على الكلمات نفسها؛ يجدها ⁨/search⁩.
forget-receipt = تم نسيان: { $what }.
forget-kept-aside = قد تحتويه ملفات تالفة أو مستبدلة محفوظة هنا: { $names }.
# What may be written for it after /forget.
forget-words-everything = كل_شيء الكل
forget-group = كل شيء: ذاكرة المجموعة كلها، بكل مواضيعها
forget-words-stay = تبقى كلمات منه في: { $what }. يجدها ⁨/search⁩.
