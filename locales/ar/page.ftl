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
page-kind-personal = شخصي
page-kind-preference = تفضيل
page-kind-knowledge = معرفة
page-kind-event = حدث
page-kind-instruction = تعليمات
