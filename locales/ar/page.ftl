page-title = Keepsake · ساحة التجربة
page-banner = يجيب { $model } · على هذا الجهاز فقط
page-offline-model = النموذج غير المتصل (يقتبس ما يتذكره فقط)
page-chats = المحادثات
page-chat = المحادثة
page-memory = الذاكرة
page-views = طرق العرض
page-conversation = المحادثة
page-messages = الرسائل
page-topics = المواضيع
page-topic-general = عام
page-back = العودة إلى المحادثات
page-start-over = البدء من جديد
page-show-memory = إظهار الذاكرة
page-jump = إلى أحدث رسالة
page-drop = أفلت للإرسال
page-ok = حسنًا
page-cancel = إلغاء
page-add = إضافة
page-first-name = الاسم
page-app-language = لغة التطبيق
page-add-person = إضافة شخص
page-start-over-with = البدء من جديد مع { $title }؟
page-start-over-hint = تُفرَّغ المحادثة، ويُمحى كل ما يُتذكَّر منها.
page-fresh-start = بداية جديدة.
page-in-private = على انفراد مع البوت، باسم
page-groups = المجموعات
page-no-messages = لا رسائل بعد
page-you-said = أنت: { $words }
page-unread = غير مقروءة: { $number }
page-theme-auto = المظهر: تلقائي
page-theme-light = المظهر: فاتح
page-theme-dark = المظهر: داكن
page-language = لغة هذه الصفحة
page-language-auto = تلقائي: { $language }
page-today = اليوم
page-yesterday = أمس
page-unknown = غير معروف
page-new-messages = رسائل جديدة
page-welcome-back = أهلًا بعودتك. ما في الأعلى من الذاكرة.
page-waiting = في انتظار الخادم…
page-typing = يكتب…
page-typing-name = { $name } يكتب…
page-writing-as = بوت · تكتب باسم { $name }
page-members = { $number ->
    [zero] { $number } عضو
    [one] عضو واحد
    [two] عضوان
    [few] { $number } أعضاء
    [many] { $number } عضوًا
   *[other] { $number } عضو
 }
page-members-and-bot = { $number ->
    [zero] { $number } عضو والبوت
    [one] عضو واحد والبوت
    [two] عضوان والبوت
    [few] { $number } أعضاء والبوت
    [many] { $number } عضوًا والبوت
   *[other] { $number } عضو والبوت
 }
page-welcome-private = يتذكر ما تخبره به متى سمحت له. اضغط «ابدأ»؛ وما تقوله يذهب إلى النموذج المذكور في الأعلى.
page-welcome-group = أشر إلى { $bot } أو رُدَّ عليه فيجيب.
page-writing = البوت يكتب
page-edited = معدّلة
page-photo-of = صورة: { $caption }
page-kind-photo = صورة
page-kind-voice = رسالة صوتية
page-kind-sticker = ملصق
page-kind-animation = صورة متحركة
page-kind-video = فيديو
page-kind-video_note = رسالة فيديو
page-kind-audio = صوت
page-kind-file = ملف
page-download = تنزيل { $name }
page-reply-key = رد (R)
page-copy-key = نسخ النص (C)
page-edit-key = تعديل (E)
page-copied = نُسخ
page-copy = نسخ
page-copy-code = نسخ الشيفرة
page-code = شيفرة
page-code-in = شيفرة { $language }
page-hidden-text = نص مخفي، اضغط لإظهاره
page-show-all = إظهار الكل
page-show-less = إظهار أقل
page-joined = انضم إلى المجموعة: { $names }
page-left = غادر المجموعة: { $name }
page-topic-created = موضوع جديد: { $name }
page-group-renamed = صار اسم المجموعة { $name }
page-start = ابدأ
page-message = رسالة
page-message-group = رسالة، أو { $bot }
page-suggestions = اقتراحات
page-tries = أشياء تجربها
page-try-1 = لدي حساسية من الجوز.
page-try-2 = أختي نورا تسكن في لشبونة.
page-try-3 = مِمَّ لدي حساسية؟
page-try-4 = ماذا تعرف عني؟
page-commands = الأوامر
page-attach = إرفاق ملف
page-send = إرسال
page-send-key = إرسال (Enter)
page-as = باسم
page-speak-as = التحدث باسم
page-edit-message = تعديل الرسالة
page-reply-to = رد على { $name }
page-cancel-key = إلغاء (Esc)
page-not-sent = لم تُرسل: الخادم لا يستجيب.
page-no-answer = الخادم لا يستجيب.
page-answered = أجاب الخادم { $status }.
page-caption-long = أقصى عدد لأحرف التعليق { $most }.
page-edit-long = عدد أحرف الرسالة المعدّلة من 1 إلى { $most }.
page-name-long = عدد أحرف الاسم من 1 إلى { $most }.
page-people-many = بلغ عدد الأشخاص { $most } بالفعل.
page-memory-unreadable = لا يمكن قراءة الذاكرة الآن.
page-remembered-about = ما يُتذكَّر عن { $name }
page-remembered-in = ما يُتذكَّر في { $title }
page-on = مفعّلة
page-off = متوقفة
page-active = نشطة: { $number }
page-archived = مؤرشفة: { $number }
page-memory-off = الذاكرة متوقفة حتى يشغّلها صاحبها: أرسل ⁨/summary⁩ في المحادثة.
page-until-summary = حتى الملخص التالي
page-turns-of = { $done } من { $total ->
    [zero] { $total } جولة
    [one] جولة واحدة
    [two] جولتين
    [few] { $total } جولات
    [many] { $total } جولة
   *[other] { $total } جولة
 }
page-read-of = { $done } من { $total } من رسائلك
page-summarising = تُلخَّص الرسائل الأقدم الآن.
page-summary-failed = تعذّر إعداد الملخص الأخير: { $error }
page-summaries = الملخصات
page-summaries-none = لا شيء بعد. حين تكثر الرسائل تصير ملخصًا أول؛ ولا يُمحى شيء.
page-summaries-count = نشطة { $active }، والمجموع { $total }
page-summaries-level = ملخصات المستوى { $level }
page-summary-active = الملخص { $id } من المستوى { $level }، { $messages }، نشط
page-summary-passive = الملخص { $id } من المستوى { $level }، { $messages }، جزء من ملخص لاحق
page-standing-active = في المُدخل ما دام نشطًا.
page-standing-higher = جزء من ملخص أعلى؛ محفوظ، ولم يعد في المُدخل.
page-standing-replaced = حلّت محله نسخة أحدث؛ محفوظ، ولم يعد في المُدخل.
page-version = النسخة { $number }
page-version-of = النسخة { $number } ({ $policy }): { $chain }
page-quality = الجودة { $score }
page-part-retention = حفظ الأسماء والأرقام { $score }
page-part-novelty = بلا اختلاق { $score }
page-part-coverage = الجولات المشمولة { $score }
page-part-compression = الاختصار { $score }
page-part-repetition = بلا تكرار { $score }
page-compressed = { $number ->
    [zero] لُخّص { $number } مرة
    [one] لُخّص مرة واحدة
    [two] لُخّص مرتين
    [few] لُخّص { $number } مرات
    [many] لُخّص { $number } مرة
   *[other] لُخّص { $number } مرة
 }
page-reason-threshold = اجتمعت جولات كافية
page-reason-now = بطلب
page-reason-idle = أثناء استراحة
page-reason-pressure = كاد المُدخل يمتلئ
page-reason-cut = لم تعد بعض الجولات تتسع
page-reason-upwards = اجتمعت ملخصات كافية
page-reason-rebuild = أُعيد إعداده
page-reason-import = مستورد
page-tokens-made = الرموز: { $read } ← { $written }
page-messages-count = { $number ->
    [zero] { $number } رسالة
    [one] رسالة واحدة
    [two] رسالتان
    [few] { $number } رسائل
    [many] { $number } رسالة
   *[other] { $number } رسالة
 }
page-messages-newest = أحدث { $shown } من { $total }
page-messages-none = لا شيء محفوظ بعد.
page-messages-off = لا يُحفظ شيء ما دامت الذاكرة متوقفة.
page-messages-archived = { $messages } تحت الملخص { $id }
page-messages-active = { $messages }، بنصها في المُدخل
page-message-active = بنصها في المُدخل ما دامت تتسع.
page-message-archived = تحت الملخص { $id }: ما زال يُعثر عليها بنصها.
page-legend-person = شخص
page-legend-bot = بوت
page-legend-colour = كل لون ملخص واحد
page-profile = الملف الشخصي
page-versions = { $number ->
    [zero] { $number } نسخة
    [one] نسخة واحدة
    [two] نسختان
    [few] { $number } نسخ
    [many] { $number } نسخة
   *[other] { $number } نسخة
 }
page-versions-earlier = { $number ->
    [zero] { $number } نسخة سابقة
    [one] نسخة سابقة واحدة
    [two] نسختان سابقتان
    [few] { $number } نسخ سابقة
    [many] { $number } نسخة سابقة
   *[other] { $number } نسخة سابقة
 }
page-by-model = كتبه { $model }
page-facts = المعلومات
page-facts-count = الحالية { $holding }، والقديمة أو المحذوفة { $gone }
page-fact-since = منذ { $day }
page-fact-from = من { $sources }
page-fact-by-hand = أضيفت يدويًا
page-fact-earlier = نص سابق
page-fact-pinned = مثبّتة
page-fact-deleted = محذوفة
page-fact-before = قبلها: { $number }
page-kind-personal = شخصي
page-kind-preference = تفضيل
page-kind-knowledge = معرفة
page-kind-event = حدث
page-kind-instruction = تعليمات
page-learning-running = يتعلم من السجل المستورد
page-learning-partly = تعلّم من جزء من السجل المستورد
page-learning-done = تعلّم من السجل المستورد
page-prompt = المُدخل الأخير
page-prompt-none = يظهر مع الجواب التالي.
page-tokens-of = { $tokens } من { $most } من الرموز
page-cut = لم يتسع
page-cut-turns = جولات سابقة
page-cut-archived = رسائل مؤرشفة
page-cut-document = مستند
page-cut-summary = ملخص
page-found = ما استُرجع
page-found-count = { $number ->
    [zero] { $number } رسالة سابقة
    [one] رسالة سابقة واحدة
    [two] رسالتان سابقتان
    [few] { $number } رسائل سابقة
    [many] { $number } رسالة سابقة
   *[other] { $number } رسالة سابقة
 }
