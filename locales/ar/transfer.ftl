transfer-nothing = لا شيء للتصدير.
transfer-not-private = لم أستطع مراسلتك على الخاص. اضغط «ابدأ» في محادثة معي، ثم أرسل { $command } هنا مرة أخرى.
transfer-anonymous = أنت تكتب باسم المجموعة، فلا أعرف لمن أرسله. أرسل ⁨/export⁩ باسمك.
transfer-sent = أرسلته إليك على الخاص.
transfer-ask-for-file =
    أرسل لي الملف الآن خلال 10 دقائق. أقرأ:
    • ملف تصدير مني، و⁨Telegram Desktop⁩ (⁨JSON⁩ أو ⁨HTML⁩)، و⁨WhatsApp⁩، و⁨Discord⁩،
    • ⁨ChatGPT⁩ و⁨Claude⁩ (ملف ⁨.zip⁩ للتصدير)، و⁨Gemini⁩ («نشاطي» من ⁨Google Takeout⁩، و⁨AI Studio⁩)،
    • محادثات بصيغة ⁨JSON⁩ أو ⁨Markdown⁩.

    الحد الأقصى 20 ميغابايت، أيضًا ⁨.zip⁩ أو ⁨.gz⁩. لا يُحفظ شيء قبل موافقتك.
transfer-as-reply = أرسله ردًا على هذه الرسالة.
transfer-no-file = لم أعد أرى الملف. أرسله مرة أخرى مع ⁨/import⁩ تعليقًا عليه.
transfer-left = لم يُستورد شيء.
transfer-again = ما استُورد يبقى؛ أرسل الملف مرة أخرى للمتابعة.
transfer-incognito = لا يُكتب شيء وأنت في الوضع الخفي. الأمر ⁨/incognito⁩ ينهيه.
transfer-import = استيراد
transfer-cancel = إلغاء
transfer-importing = جارٍ الاستيراد…
transfer-importing-so-far = جارٍ الاستيراد… { $done } من { $messages } من الرسائل.
transfer-stopped = توقف الاستيراد بعد أن استُوردت { shared-messages }.
transfer-not-begun = لم يبدأ الاستيراد.
transfer-moved = نُقلت الذاكرة أو مُحيت في هذه الأثناء.
transfer-plan-none = هذا { $name }.
transfer-plan = هذا { $name }، فيه { $what }.
transfer-plan-whole = لا شيء آخر محفوظ هنا، فسيعود كل شيء كما كان.
transfer-plan-part = تعود الرسائل الآن، والباقي مع آخر ملف. أرسل البقية أيضًا. ما زال ينقص: { $missing }.
transfer-done-part = تم: عادت { shared-messages }. ما زال ينقص: { $missing }.
transfer-adds = سيُضاف: { $what }.
transfer-adds-dated = سيُضاف: { $what } ({ $when }).
transfer-as-history = تحتفظ بتواريخها دون سؤال نموذج. وأجدها عند الحاجة.
transfer-all-known = كل هذا معروف من قبل. لا شيء للاستيراد.
transfer-empty = لا رسائل فيه: لا شيء للاستيراد.
transfer-turns-on = الذاكرة متوقفة؛ والاستيراد يشغّلها.
transfer-known = معروف من قبل: { shared-messages }.
transfer-done-whole = تم: عادت { shared-messages } كما كانت مع كل ما يتبعها.
transfer-done = تم، وأُضيف: { $what }.
transfer-ask-me = اسألني عنها.
transfer-new-facts = معلومات جديدة: { $facts }.
transfer-settings = إعداداتك
transfer-of-group = ذاكرة المجموعة «{ $title }».
transfer-caption = للآلات (⁨JSON⁩)، كل ما أحفظه هنا: { $what }. ويقرؤه ⁨/import⁩ من جديد.
transfer-plan-reminders = التذكيرات التي ستُضبط: { $reminders }
transfer-paste = من مساعد آخر
transfer-paste-how = انسخ رسالتي التالية إلى المساعد الآخر، والصق جوابه هنا خلال 10 دقائق. سترى كل معلومة قبل حفظها.
transfer-paste-prompt = اذكر كل ما تعرفه وتتذكره عني: حقائق وتفضيلات وأشخاص ومشاريع وتواريخ. اكتب واحدة في كل سطر بالشكل [التاريخ إن عُرف] - المحتوى. لا تترك شيئًا ولا تضف شيئًا آخر.
transfer-choose-none = عدم اختيار أي شيء
transfer-choose-all = اختيار الكل
transfer-go-on = متابعة
transfer-pause = إيقاف مؤقت
transfer-stopping = سأتوقف بعد لحظة.
transfer-paused = هو متوقف مؤقتًا؛ وما استُورد يبقى.
transfer-ended = انتهى؛ وما استُورد يبقى. يمكن حذفه بالأمر ⁨/forget⁩.
transfer-minutes-left = الدقائق المتبقية: نحو { $minutes }.
transfer-for-whom = لمن هذا التصدير؟ للقراءة: ⁨Markdown⁩ وصفحة فيها بحث. للآلة: ⁨JSON⁩ الذي يقرؤه ⁨/import⁩ من جديد.
transfer-for-me = لي
transfer-for-a-machine = للآلة
transfer-caption-zip = للقراءة: { $what }، بصيغة ⁨Markdown⁩، ملف لكل شهر. يُفتح في ⁨Obsidian⁩.
transfer-caption-html = للقراءة في المتصفح ولو بلا إنترنت: { $what }، مع حقل بحث.
transfer-page-title = ذاكرتي
transfer-page-search = بحث
transfer-page-profile = الملف الشخصي
transfer-page-facts = المعلومات
transfer-page-summaries = الملخصات
transfer-page-me = أنا
