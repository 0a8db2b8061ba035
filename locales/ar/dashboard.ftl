# The page of one's memory. dashboard-tab-NAME: its views; dashboard-kinds-NAME: the kinds of facts; dashboard-of-NAME: those of messages.

dashboard-skip = إلى المحتوى
dashboard-views = الأقسام
dashboard-away = الخادم لا يجيب. هذه الصفحة تنتظره.
dashboard-loading = لحظة…
dashboard-failed = تعذر العرض. حاول مرة أخرى.
dashboard-no-answer = الخادم لا يجيب.
dashboard-over-hint = أرسل ⁨/dashboard⁩ إلى البوت في محادثة خاصة، فيجيبك برابط جديد.
dashboard-tab-timeline = الخط الزمني
dashboard-tab-facts = المعلومات
dashboard-tab-profile = الملف
dashboard-tab-summaries = الملخصات
dashboard-tab-why = لماذا
dashboard-tab-statistics = الإحصاءات
dashboard-tab-settings = الإعدادات
dashboard-tab-past = الاستيراد والتصدير
dashboard-tab-admin = الإدارة
dashboard-memory = الذاكرة
dashboard-memory-of = ذاكرة { $name }
dashboard-memory-group = ذاكرة المجموعة
dashboard-mine = ذاكرتي الخاصة
dashboard-whose = ذاكرة مَن
dashboard-conversation = المحادثة
dashboard-untitled = المحادثة { $number }
dashboard-main = المحادثة الرئيسية
dashboard-incognito = وضع التخفي
dashboard-memory-off = الذاكرة متوقفة: لا يُحفظ شيء جديد. يمكنك تشغيلها هنا:
dashboard-rebuilding = يُعاد إعداد الملخصات
dashboard-learning = يجري التعلم من الرسائل السابقة
dashboard-done-of = ‏{ $done } من { $total }
dashboard-back = السابق
dashboard-next = التالي
dashboard-pages = الصفحات
dashboard-page-of = ‏{ $page } من { $pages }
dashboard-close = إغلاق
dashboard-save = حفظ
dashboard-edit = تعديل
dashboard-delete = حذف
dashboard-restore = استعادة
dashboard-undo = التراجع عن آخر تعديل
dashboard-details = التفاصيل
dashboard-more-about = المزيد: { $name }
dashboard-search = ابحث فيما قيل
dashboard-filters = عوامل التصفية
dashboard-filter-person = الشخص
dashboard-filter-kind = النوع
dashboard-filter-since = من
dashboard-filter-until = إلى
dashboard-everybody = الجميع
dashboard-everywhere = في كل المحادثات
dashboard-of-any = كل شيء
dashboard-of-user = من الناس
dashboard-of-assistant = من البوت
dashboard-of-files = الملفات والصور
dashboard-of-forwarded = المُعاد توجيهها
dashboard-of-imported = المستوردة
dashboard-origin-forwarded = مُعاد توجيهها
dashboard-origin-tool = من أداة
dashboard-origin-imported = مستوردة
dashboard-origin-overheard = قيلت في المجموعة
dashboard-origin-document = ملف
dashboard-origin-picture = صورة
dashboard-edited = معدلة
dashboard-person = شخص
dashboard-bot = البوت
dashboard-system = النظام
dashboard-messages = الرسائل
dashboard-found = النتائج: { $number }
dashboard-show-there = إظهار في الخط الزمني
dashboard-newest = إلى الأحدث
dashboard-summary = ملخص
dashboard-open-summary = فتح هذا الملخص
dashboard-message-active = مذكورة حرفيًا فيما يقرؤه البوت.
dashboard-message-archived = مشمولة في ملخص، ويمكن العثور عليها حرفيًا.
dashboard-turn = بقية هذا الحوار
dashboard-in-telegram = فتح في Telegram
dashboard-forget = نسيان
dashboard-forget-title = هل أنسى هذا نهائيًا؟
dashboard-forget-final = لا يمكن التراجع عن هذا.
dashboard-forget-really = هل أنسى كل شيء فعلًا؟
dashboard-forget-all-yes = نسيان كل شيء
dashboard-forgotten = تم النسيان
dashboard-forget-message = نسيان هذه الرسالة
dashboard-forget-turn = نسيان الحوار كله
dashboard-forget-days = نسيان هذه الأيام
dashboard-forget-conversation = نسيان هذه المحادثة
dashboard-forget-everything = نسيان كل شيء
dashboard-fact = معلومة
dashboard-fact-add = إضافة معلومة
dashboard-facts-search = ابحث في المعلومات
dashboard-facts-which = أي معلومات
dashboard-facts-current = الحالية
dashboard-facts-all = الكل مع السابقة
dashboard-facts-over = لم تعد صحيحة أو حُذفت
dashboard-facts-none = لا شيء معروف بعد. يتعلم البوت المعلومات أثناء الحديث.
dashboard-facts-no-match = لا توجد معلومة مطابقة.
dashboard-fact-history = ما حلّت محله
dashboard-fact-said = قيل في:
dashboard-learned-at = عُرف في { $date }
dashboard-pin = تثبيت
dashboard-unpin = إلغاء التثبيت
dashboard-supersede = تغيّر الأمر الآن
dashboard-supersede-hint = تحل المعلومة الجديدة محلها، وتبقى القديمة في السجل.
dashboard-kinds-instruction = ما طلبتَه
dashboard-kinds-personal = شخصي
dashboard-kinds-preference = تفضيلات
dashboard-kinds-knowledge = معارف
dashboard-kinds-event = أحداث
dashboard-profile-about = صورة موجزة مستخلصة من المعلومات، يقرؤها البوت قبل كل جواب.
dashboard-profile-none = لا يوجد ملف بعد. يُكتب عندما تُعرف معلومات كافية.
dashboard-profile-refresh = كتابته من جديد
dashboard-profile-refreshing = يُكتب الملف الآن.
dashboard-profile-compare = المقارنة مع
dashboard-profile-alone = لا شيء
dashboard-profile-forget = نسيان هذه النسخة
dashboard-summaries-about = تُلخَّص الرسائل القديمة، وتُجمع الملخصات القديمة في ملخص فوقها. لا يُمحى شيء.
dashboard-summaries-active = ‏{ $active } قيد الاستخدام من أصل { $total }
dashboard-summaries-count = ‏{ $shown } من { $total }
dashboard-fold = التلخيص الآن
dashboard-rebuild = إعادة إعدادها
dashboard-rebuild-yes = إعادة الإعداد
dashboard-rebuild-hint = يُعاد إعداد كل ملخصات هذه المحادثة من رسائلها. يستغرق ذلك وقتًا ويستهلك رموزًا.
dashboard-level = الطبقة { $level }
dashboard-zoom-in = تكبير
dashboard-zoom-out = تصغير
dashboard-legend-active = يقرؤها البوت
dashboard-legend-part = جزء من ملخص لاحق
dashboard-summary-active = ملخص { $date }، { $messages }، الطبقة { $level }، قيد الاستخدام
dashboard-summary-passive = ملخص { $date }، { $messages }، الطبقة { $level }، جزء من ملخص لاحق
dashboard-version-before = النسخة السابقة
dashboard-part-of = جزء من
dashboard-made-from = أُعد من
dashboard-checked = الفحص: { $score }
dashboard-why-about = مِمَّ تكوّن كل جواب: ما قرأه البوت ولماذا.
dashboard-why-none = لم يجب البوت عن شيء هنا بعد.
dashboard-why-not-stored = هذا السؤال غير محفوظ.
dashboard-why-ceiling = من أصل { $most } على الأكثر لنموذج { $model }
dashboard-why-saved = كان السجل كله سيبلغ { $whole }؛ وفّرت الذاكرة { $saved }.
dashboard-why-forgotten = نُسي منذ ذلك الحين
dashboard-why-snippets = رسائل سابقة مطابقة
dashboard-why-looked-up = بحث عنها النموذج
dashboard-why-recent = الحديث الأخير حرفيًا: { $number }
dashboard-why-cut = لم يُدرج، لكن يمكن العثور عليه
dashboard-stat-messages = الرسائل
dashboard-stat-archived = ضمن الملخصات: { $number }
dashboard-stat-summaries = الملخصات المستخدمة
dashboard-stat-saved = الرموز الموفَّرة
dashboard-stat-saved-hint = مقارنة بإرسال كل شيء
dashboard-stat-earlier = أجوبة استعانت برسالة سابقة
dashboard-stat-facts = أجوبة استعانت بالمعلومات
dashboard-stat-of-answers = الأجوبة المحسوبة: { $number }
dashboard-stat-room = الرموز المتبقية اليوم
dashboard-stat-no-limit = بلا حد
dashboard-stat-cost = التكلفة في 30 يومًا
dashboard-stat-span = المدة المعروضة
dashboard-stat-by-day = الرسائل يوميًا
dashboard-stat-tokens = الرموز يوميًا
dashboard-stat-read = مقروءة
dashboard-stat-written = مكتوبة
dashboard-stat-table = كجدول
dashboard-stat-day = اليوم
dashboard-stat-level = الطبقة
dashboard-stat-number = العدد
dashboard-stat-time = المدة
dashboard-stat-folds = الملخصات المُعدّة
dashboard-set-memory = الذاكرة
dashboard-set-enabled = التذكر
dashboard-set-enabled-hint = تُحفظ الرسائل الجديدة ويمكن العثور عليها.
dashboard-set-incognito-hint = تُقرأ الذاكرة ولا يُكتب شيء.
dashboard-set-storage = مكان الحفظ
dashboard-set-move = نقل الذاكرة؟
dashboard-set-move-yes = نقل
dashboard-set-move-hint = يُنسخ كل شيء ويُتحقق منه، ثم يُمحى المكان القديم.
dashboard-set-auto = التلخيص تلقائيًا
dashboard-set-auto-hint = وإلا فعند طلبك فقط.
dashboard-set-every = بعد هذا العدد من رسائلك
dashboard-set-policy = بأي طريقة
dashboard-set-instructions = ما يجب أن تراعيه الملخصات
dashboard-set-instructions-hint = بكلماتك؛ اتركه فارغًا إن لم يكن هناك شيء خاص.
dashboard-set-answers = الأجوبة
dashboard-set-model = النموذج
dashboard-set-persona = الأسلوب
dashboard-set-persona-own = أسلوب بكلماتك
dashboard-set-spoken = أجوبة صوتية
dashboard-spoken-never = أبدًا
dashboard-spoken-voice = ردًا على الرسائل الصوتية
dashboard-spoken-always = دائمًا
dashboard-set-place = اللغة والوقت
dashboard-set-language = اللغة
dashboard-set-language-auto = كما في Telegram
dashboard-set-zone = المنطقة الزمنية
dashboard-set-zone-hint = مدينة أو اسم مثل Europe/Berlin.
dashboard-reminders = التذكيرات
dashboard-reminders-none = لا توجد تذكيرات.
dashboard-conversation-title = اسمها
dashboard-conversation-open = متابعتها في المحادثة
dashboard-conversation-begin = بدء أخرى
dashboard-import = الاستيراد
dashboard-import-about = محادثات من Telegram أو WhatsApp أو Discord أو ChatGPT أو Claude أو Gemini، أو ملف من هذا البوت. ترى أولًا ما سيحدث.
dashboard-import-file = الملف
dashboard-import-reading = يُقرأ الملف…
dashboard-import-run = استيراد
dashboard-importing = يجري الاستيراد
dashboard-import-paused = الاستيراد متوقف مؤقتًا. يبقى ما قُرئ.
dashboard-import-go-on = متابعة
dashboard-pause = إيقاف مؤقت
dashboard-learn = تعلم المعلومات
dashboard-learn-about = يقرأ البوت الرسائل المستوردة في هذه الأيام ويدوّن ما تقوله عنك.
dashboard-learn-stop = إيقاف التعلم
dashboard-export = التصدير
dashboard-export-about = كل ما يُتذكر في ملف لك أو لبوت آخر مثله.
dashboard-export-readable = للقراءة
dashboard-export-whole = للنقل
dashboard-exported = حُفظ { $name }.
dashboard-admin-memories = الذاكرات
dashboard-admin-active = نشطة هذا الأسبوع: { $number }
dashboard-admin-used = رموز اليوم
dashboard-admin-budget = من أصل { $number } على الأكثر
dashboard-admin-waiting = رسائل منتظرة
dashboard-admin-failed = ملخصات فاشلة
dashboard-admin-size = مساحة القرص
dashboard-admin-health = الحالة
dashboard-admin-well = سليم
dashboard-admin-ill = معطل
dashboard-admin-people = الأشخاص
dashboard-admin-everyone = يمكن للجميع التحدث مع هذا البوت.
dashboard-admin-allow = السماح
dashboard-admin-refuse = الرفض
dashboard-admin-remove = إزالة
dashboard-admin-is-asked = طلب الدخول
dashboard-admin-is-allowed = مسموح
dashboard-admin-is-refused = مرفوض
dashboard-admin-is-removed = أُزيل
dashboard-admin-tokens = رموز اليوم: { $tokens }
dashboard-admin-errors = آخر الأخطاء
dashboard-admin-no-errors = لا أخطاء منذ البدء.
dashboard-today = اليوم
dashboard-yesterday = أمس
dashboard-on = مفعّلة
dashboard-off = متوقفة
dashboard-ok = حسنًا
dashboard-cancel = إلغاء
dashboard-until-summary = حتى الملخص التالي
dashboard-turns-of = { $done } من { $total ->
    [zero] { $total } جولة
    [one] جولة واحدة
    [two] جولتين
    [few] { $total } جولات
    [many] { $total } جولة
   *[other] { $total } جولة
 }
dashboard-summarising = تُلخَّص الرسائل الأقدم الآن.
dashboard-summary-failed = تعذّر إعداد الملخص الأخير: { $error }
dashboard-summaries-none = لا شيء بعد. حين تكثر الرسائل تصير ملخصًا أول؛ ولا يُمحى شيء.
dashboard-standing-active = في المُدخل ما دام نشطًا.
dashboard-standing-higher = جزء من ملخص أعلى؛ محفوظ، ولم يعد في المُدخل.
dashboard-standing-replaced = حلّت محله نسخة أحدث؛ محفوظ، ولم يعد في المُدخل.
dashboard-quality-retention = حفظ الأسماء والأرقام { $score }
dashboard-quality-novelty = بلا اختلاق { $score }
dashboard-quality-coverage = الجولات المشمولة { $score }
dashboard-quality-compression = الاختصار { $score }
dashboard-quality-repetition = بلا تكرار { $score }
dashboard-compressed = { $number ->
    [zero] لُخّص { $number } مرة
    [one] لُخّص مرة واحدة
    [two] لُخّص مرتين
    [few] لُخّص { $number } مرات
    [many] لُخّص { $number } مرة
   *[other] لُخّص { $number } مرة
 }
dashboard-reason-threshold = اجتمعت جولات كافية
dashboard-reason-now = بطلب
dashboard-reason-idle = أثناء استراحة
dashboard-reason-pressure = كاد المُدخل يمتلئ
dashboard-reason-cut = لم تعد بعض الجولات تتسع
dashboard-reason-upwards = اجتمعت ملخصات كافية
dashboard-reason-rebuild = أُعيد إعداده
dashboard-reason-import = مستورد
dashboard-tokens-made = الرموز: { $read } ← { $written }
dashboard-count-messages = { $number ->
    [zero] { $number } رسالة
    [one] رسالة واحدة
    [two] رسالتان
    [few] { $number } رسائل
    [many] { $number } رسالة
   *[other] { $number } رسالة
 }
dashboard-messages-none = لا شيء محفوظ بعد.
dashboard-messages-off = لا يُحفظ شيء ما دامت الذاكرة متوقفة.
dashboard-by-model = كتبه { $model }
dashboard-fact-since = منذ { $day }
dashboard-fact-by-hand = أضيفت يدويًا
dashboard-fact-earlier = نص سابق
dashboard-fact-pinned = مثبّتة
dashboard-fact-deleted = محذوفة
dashboard-fact-before = قبلها: { $number }
dashboard-tokens = { $tokens ->
    [zero] { $tokens } رمز
    [one] رمز واحد
    [two] رمزان
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
   *[other] { $tokens } رمز
 }
