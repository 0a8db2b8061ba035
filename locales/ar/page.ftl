page-title = Keepsake · ساحة التجربة
page-banner = يجيب { $model } · على هذا الجهاز فقط
page-offline-model = النموذج غير المتصل (يقتبس ما يتذكره فقط)
page-chats = المحادثات
page-chat = المحادثة
page-topics = المواضيع
page-topic-general = عام
page-back = العودة إلى المحادثات
page-start-over = البدء من جديد
page-drop = أفلت للإرسال
page-first-name = الاسم
page-app-language = لغة التطبيق
page-add-person = إضافة شخص
page-start-over-hint = تُمحى رسائلها وكل ما يُتذكَّر منها.
page-in-private = على انفراد مع البوت، باسم
page-groups = المجموعات
page-no-messages = لا رسائل بعد
page-you-said = أنت: { $words }
page-unread = غير مقروءة: { $number }
page-theme-auto = المظهر: تلقائي
page-theme-light = المظهر: فاتح
page-theme-dark = المظهر: داكن
page-language-auto = تلقائي: { $language }
page-new-messages = رسائل جديدة
page-welcome-back = أهلًا بعودتك. ما في الأعلى من الذاكرة.
page-waiting = في انتظار الخادم…
page-typing = يكتب…
page-writing-as = تكتب باسم { $name }
page-members-and-bot = { $number ->
    [zero] { $number } عضو والبوت
    [one] عضو واحد والبوت
    [two] عضوان والبوت
    [few] { $number } أعضاء والبوت
    [many] { $number } عضوًا والبوت
   *[other] { $number } عضو والبوت
 }
page-welcome-private = يتذكر ما تخبره به متى سمحت له. وما تقوله يذهب إلى النموذج المذكور في الأعلى.
page-welcome-group = أشر إلى { $bot } أو رُدَّ عليه فيجيب.
page-kind-photo = صورة
page-kind-voice = رسالة صوتية
page-kind-sticker = ملصق
page-kind-animation = صورة متحركة
page-kind-video = فيديو
page-kind-audio = صوت
page-kind-file = ملف
page-download = تنزيل { $name }
page-reply-key = رد (R)
page-copy-key = نسخ النص (C)
page-edit-key = تعديل (E)
page-copied = نُسخ
page-copy-code = نسخ الشيفرة
page-code = شيفرة
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
page-try-1 = لدي حساسية من الجوز.
page-try-2 = أختي نورا تسكن في لشبونة.
page-try-3 = مِمَّ لدي حساسية؟
page-try-4 = ماذا تعرف عني؟
page-commands = الأوامر
page-attach = إرفاق ملف
page-send = إرسال
page-speak-as = التحدث باسم
page-reply-to = رد على { $name }
page-not-sent = لم تُرسل: الخادم لا يستجيب.
page-caption-long = أقصى عدد لأحرف التعليق { $most }.
page-edit-long = عدد أحرف الرسالة المعدّلة من 1 إلى { $most }.
page-name-long = عدد أحرف الاسم من 1 إلى { $most }.
page-people-many = بلغ عدد الأشخاص { $most } بالفعل.
