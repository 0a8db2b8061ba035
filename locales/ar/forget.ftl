forget-admins-only = لا يمكن إلا لمشرفي هذه المجموعة أن يجعلوني أنسى ما قيل هنا.
forget-members = لا يمكن إلا لمشرفي هذه المجموعة أن يجعلوني أنسى ما قيل هنا. أما كلامك أنت فيمكنك سحبه بنفسك: رُدّ على رسالتك بالأمر ⁨/forget⁩.
forget-usage =
    ماذا أنسى؟

    • رسالة واحدة: رُدّ عليها بالأمر ⁨/forget⁩، أو أرسل ⁨/forget #12⁩
    • معلومة: ⁨/forget⁩ معلومة 12
    • يومًا أو عدة أيام: ⁨/forget 2026-01-31⁩ أو ⁨/forget 2026-01-01 2026-02-01⁩ أو ⁨/forget⁩ أمس
    • ما تبحث عنه: اكتب الكلمات بعد ⁨/forget⁩
    • كل شيء: ⁨/forget⁩ كل شيء

    قبل أن أمحو شيئًا أقول ما هو وأسأل.
forget-final = لا يمكن التراجع عن هذا.
forget-clean = لم يبق منه شيء في ملفاتي.
forget-traces = قد تبقى آثار في ملفاتي مؤقتًا، لأنها قيد الاستخدام أو لأن القرص ممتلئ. وأواصل تنظيفها.
forget-expired = مضى على هذا السؤال أكثر من 10 دقائق ولم يعد يعمل. أرسل ⁨/forget⁩ مرة أخرى.
forget-kept = لم يُنسَ شيء.
forget-gone = هذا غير موجود في ذاكرتي (أو لم يعد موجودًا).
forget-not-stored = الرسالة التي رددت عليها ليست في ذاكرتي.
forget-former = لا أعرف أي رسالة هذه، لأنها من قبل أن تصبح هذه المجموعة مجموعة خارقة: يمكن لمشرف أن يجدها ويمحوها بالأمر ⁨/forget⁩ مع بعض كلماتها.
forget-no-such-date = لا يوجد مثل هذا التاريخ. اكتب التواريخ هكذا: ⁨2026-01-31⁩.
forget-not-in-my-power = ليس في يدي: ما كُتب في هذه المحادثة (يتيح لك تيليجرام حذفه)، وما احتفظ به مزوّد النموذج من الطلبات السابقة، والنسخ الاحتياطية التي أُخذت من قبل.
forget-today = اليوم
forget-everything = كل شيء
forget-none-found = لم أجد رسالة بهذه الكلمات في هذه المحادثة. لم يُنسَ شيء.
forget-elsewhere = قد يكون في محادثة أخرى: يبحث ⁨/search⁩ فيها كلها، ويفتح ⁨/chats⁩ إحداها.
forget-which = أيّها أنسى؟ أسأل مرة أخرى قبل المحو.
forget-all = كلها ({ $number })
forget-maybe-more = قد يوجد المزيد: ابحث مرة أخرى بعد الانتهاء من هذه.
forget-none-of-them = لا شيء منها
forget-keep-it = احتفظ به
forget-nothing-there = لا يوجد هناك ما يُنسى.
forget-ask-fact = هل أنسى المعلومة رقم { $id }؟
forget-ask-day = هل أنسى ما قيل في { $day }؟
forget-ask-days = هل أنسى ما قيل من { $first } إلى { $last }؟
forget-ask-everything = هل أنسى كل شيء؟
forget-ask-everything-group = هل أنسى كل شيء؟ هذه ذاكرة المجموعة كلها، بكل مواضيعها.
forget-ask-this = هل أنسى هذا؟
forget-ask-these = هل أنسى هذه الرسائل ({ $messages })؟
forget-it = انسه
forget-them-too = انسها أيضًا
forget-messages = { $messages ->
    [zero] انسَ { $messages } رسالة
    [one] انسَ رسالة واحدة
    [two] انسَ رسالتين
    [few] انسَ { $messages } رسائل
   *[other] انسَ { $messages } رسالة
 }
forget-all-of-it = انسَ كل شيء
forget-turn = انسَ السؤال والجواب
forget-turns = انسَ الأسئلة والأجوبة
forget-only-message = هذه الرسالة فقط
forget-only-messages = هذه الرسائل فقط
forget-erases = سيُمحى: { $what }.
forget-erases-with-them = ومعها سيُمحى: { $what }.
forget-erases-with-turn = ومع السؤال أو الجواب التابع لها سيُمحى: { $what }.
forget-erases-with-request = ومع السؤال أو الجواب التابع لها وطلبك الآن سيُمحى: { $what }.
forget-erases-with-turns = ومع الأسئلة والأجوبة التابعة لها: { $what }.
forget-choices-stay = تبقى إعداداتك كما هي.
forget-done = تم النسيان.
forget-line = رقم ⁨#{ $id }⁩ · { $date } · { $speaker }: «{ $text }»
forget-reactivated = تبقى { shared-messages } بجوارها، وستُلخَّص من جديد دونها.
forget-profiles = { $profiles ->
    [zero] { $profiles } نسخة من ملفك الشخصي
    [one] نسخة واحدة من ملفك الشخصي
    [two] نسختان من ملفك الشخصي
    [few] { $profiles } نسخ من ملفك الشخصي
   *[other] { $profiles } نسخة من ملفك الشخصي
 }
forget-versions = { $versions ->
    [zero] { $versions } نص سابق
    [one] نص سابق واحد
    [two] نصان سابقان
    [few] { $versions } نصوص سابقة
    [many] { $versions } نصًا سابقًا
   *[other] { $versions } نص سابق
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
forget-quotes = { $count ->
   *[other] يقتبس هذا: { $what }.
 }
forget-quotes-stay = { $count ->
   *[other] يقتبسه ويبقى: { $what }.
 }
forget-words-stay = بعض كلماته موجودة أيضًا في رسائل تبقى ({ $messages })؛ يجدها ⁨/search⁩.
forget-words-may-stay = قد تحتوي رسائل باقية على بعض الكلمات نفسها؛ يجدها ⁨/search⁩.
forget-receipt = تم نسيان: { $what }. { $rest }
forget-kept-aside = ويحتفظ مشغّلي أيضًا بملفات تالفة أو مستبدلة قد تحتويه: { $names }.
# What may be written for it after /forget.
forget-words-everything = كل شيء/الكل
