transfer-admins-export = لا يمكن إلا لمشرفي هذه المجموعة تصدير ذاكرتها.
transfer-admins-import = لا يمكن إلا لمشرفي هذه المجموعة الاستيراد إلى ذاكرتها.
transfer-nothing = لا شيء للتصدير: لا شيء محفوظ.
transfer-not-private = لم أستطع مراسلتك على الخاص، ولا أنشر في المجموعة ما تتذكره المجموعة. افتح محادثة معي واضغط «ابدأ»، ثم أرسل ⁨/export⁩ هنا مرة أخرى.
transfer-anonymous = أنت تكتب باسم المجموعة، فلا أعرف لمن أعطي الملف. أرسل ⁨/export⁩ باسمك أنت.
transfer-sent = أرسلته إليك على الخاص.
transfer-ask-for-file =
    أرسل لي الملف الآن خلال 10 دقائق. أقرأ:
    • ملفًا مصدَّرًا مني (⁨/export⁩)،
    • ⁨Telegram Desktop⁩: محادثة واحدة أو الكل (تصدير السجل، ⁨JSON⁩ أو ⁨HTML⁩)،
    • ⁨ChatGPT⁩ و⁨Claude⁩: ملف ⁨.zip⁩ لتصدير البيانات؛ ⁨Gemini⁩: «نشاطي» من ⁨Google Takeout⁩، و⁨AI Studio⁩،
    • ⁨WhatsApp⁩ (تصدير المحادثة)، و⁨Discord⁩، ومحادثات بصيغة ⁨JSON⁩ أو ⁨Markdown⁩.

    الحد الأقصى 20 ميغابايت، وتصلح ⁨.zip⁩ و⁨.gz⁩. أقول أولًا ما الذي سيُضاف، ولا يُحفظ شيء قبل موافقتك.
transfer-as-reply = أرسله ردًا على هذه الرسالة.
transfer-no-file = لم أعد أرى الملف. أرسله مرة أخرى مع ⁨/import⁩ تعليقًا عليه.
transfer-left = لم يُستورد شيء.
transfer-not-awaited = لم أعد أنتظر ملفًا. لم يُستورد شيء.
transfer-again = ما استُورد يبقى؛ أرسل الملف مرة أخرى للمتابعة.
transfer-incognito = لا يُكتب شيء وأنت في الوضع الخفي. الأمر ⁨/incognito⁩ ينهيه؛ ثم أرسل الملف مرة أخرى.
transfer-import = استيراد
transfer-cancel = إلغاء
transfer-importing = جارٍ الاستيراد…
transfer-importing-so-far = جارٍ الاستيراد… { $done } من { $messages } من الرسائل.
transfer-stopped = توقف الاستيراد بعد أن استُوردت { shared-messages }.
transfer-not-begun = لم يبدأ الاستيراد.
transfer-moved = نُقلت الذاكرة أو مُحيت في هذه الأثناء.
transfer-plan = هذا { $name }، فيه { shared-messages }.
transfer-plan-facts = هذا { $name }، فيه { shared-messages } و{ shared-facts }.
transfer-plan-whole = لا شيء آخر محفوظ هنا، فسيعود كما كان: الرسائل والملخصات والمعلومات والإعدادات.
transfer-plan-part = هذا واحد من عدة ملفات، وسيعود كل شيء كما كان: الرسائل الآن، والملخصات والمعلومات والإعدادات مع آخر ملف. أرسل البقية أيضًا بأي ترتيب. ما زال ينقص: { $missing }.
transfer-done-part = تم: عادت { shared-messages } كما كانت. ما زال ينقص: { $missing }.
transfer-adds = ستُضاف { shared-messages }.
transfer-adds-day = ستُضاف { shared-messages } من { $day }.
transfer-adds-days = ستُضاف { shared-messages } من { $first } إلى { $last }.
transfer-adds-facts = ستُضاف { shared-facts }.
transfer-as-history = تُؤرشف بوصفها سجلًا، كلٌّ بتاريخه: يُعثر عليها عند الحاجة، وتُلخَّص باقتباس جمل منها دون نموذج (ويمكن أن يحسّن ⁨/summary_rebuild⁩ ذلك لاحقًا).
transfer-all-known = كل هذا معروف من قبل. لا شيء للاستيراد.
transfer-empty = لا رسائل فيه: لا شيء للاستيراد.
transfer-turns-on = الذاكرة متوقفة؛ والاستيراد يشغّلها.
transfer-known = معروف من قبل ويبقى كما هو: { shared-messages }.
transfer-done-whole = تم: عادت { shared-messages } كما كانت مع كل ما يتبعها.
transfer-done = تم، وأُضيف: { $what }.
transfer-ask-me = اسألني عنها.
transfer-its-facts = { $facts ->
   *[other] وتُستورد معلوماته أيضًا.
 }
transfer-its-facts-known = { $facts ->
   *[other] ومعلوماته معروفة من قبل.
 }
transfer-new-facts = ويُستورد أيضًا ما لم يُعرف بعد: { shared-facts }.
transfer-settings = إعداداتك
transfer-of-group = ذاكرة المجموعة «{ $title }».
transfer-caption = للآلات (⁨JSON⁩)، كل ما أحفظه هنا: { $what }. ويقرؤه ⁨/import⁩ من جديد.
transfer-caption-gz = للآلات (⁨JSON⁩ مضغوط)، كل ما أحفظه هنا: { $what }. ويقرؤه ⁨/import⁩ من جديد.
transfer-plan-reminders = التذكيرات التي ستُضبط: { $reminders }
transfer-paste = من مساعد آخر
transfer-paste-how = انسخ رسالتي التالية إلى المساعد الآخر، والصق جوابه هنا خلال 10 دقائق. سترى كل حقيقة قبل أن أحفظها.
transfer-paste-prompt = اذكر كل ما تعرفه وتتذكره عني: حقائق وتفضيلات وأشخاص ومشاريع وتواريخ. اكتب واحدة في كل سطر بالشكل [التاريخ إن عُرف] - المحتوى. لا تترك شيئًا ولا تضف شيئًا آخر.
transfer-choose-none = عدم اختيار أي شيء
transfer-choose-all = اختيار الكل
transfer-go-on = متابعة
transfer-pause = إيقاف مؤقت
transfer-stopping = سأتوقف بعد لحظة.
transfer-paused = هو متوقف مؤقتًا؛ وما دخل يبقى.
transfer-ended = انتهى الاستيراد؛ وما دخل يبقى. يمكن حذفه بالأمر ⁨/forget⁩.
transfer-minutes-left = المتبقي نحو { $minutes } دقيقة.
transfer-for-whom = لمن هذا التصدير؟ للقراءة: ملفات ⁨Markdown⁩ وصفحة فيها بحث. للآلة: ⁨JSON⁩ الذي يقرؤه ⁨/import⁩ من جديد.
transfer-for-me = لي
transfer-for-a-machine = للآلة
transfer-caption-zip = للقراءة: { $what }، بصيغة ⁨Markdown⁩، ملف لكل شهر. يُفتح في ⁨Obsidian⁩.
transfer-caption-html = للقراءة في المتصفح بلا شبكة: { $what }، مع حقل بحث.
transfer-page-title = ذاكرتي
transfer-page-search = بحث
transfer-page-profile = الملف الشخصي
transfer-page-facts = الحقائق
transfer-page-summaries = الملخصات
transfer-page-me = أنا
transfer-page-bot = Keepsake
