import-title-keepsake = ملف تصدير مني
import-title-telegram = ملف تصدير من ⁨Telegram Desktop⁩
import-title-chatgpt = ملف تصدير من ⁨ChatGPT⁩
import-title-claude = ملف تصدير من Claude
import-title-gemini = ملف تصدير من Gemini
import-title-whatsapp = محادثة من WhatsApp
import-title-discord = ملف تصدير من Discord
import-title-telegram-html = ملف تصدير من Telegram Desktop بصيغة HTML
import-title-generic = قائمة محادثات
import-title-memories = ما يتذكّره عنك مساعد آخر
import-file-keepsake = ملف التصدير الخاص بي
import-file-telegram = ملف ⁨result.json⁩ من ⁨Telegram Desktop⁩
import-file-chatgpt = ملف ⁨conversations.json⁩ من ⁨ChatGPT⁩
import-file-claude = تصدير Claude
import-file-gemini = ملف MyActivity.json من Gemini
import-file-whatsapp = محادثة WhatsApp
import-file-discord = رسائل Discord
import-file-telegram-html = ملف messages.html من Telegram Desktop
import-file-generic = محادثات بصيغة JSON أو Markdown
import-file-memories = قائمة ذكريات
import-kinds-differ = في الأرشيف ملفات تصدير من أنواع مختلفة. أرسلها واحدًا واحدًا.
import-several-own = في الأرشيف عدة ملفات تصدير مني. أرسلها واحدًا واحدًا.
import-too-many-messages = في الملف أكثر من { $most } رسالة. أرسل مدة أقصر. لم يُستورد شيء.
import-too-many-facts = في الملف أكثر من { $most } معلومة. أرسل مدة أقصر. لم يُستورد شيء.
import-facts-in-all = مع هذه المعلومات سأعرف عن هذه المحادثة أكثر من { $most } معلومة. لم يُستورد شيء.
import-too-many-files = في الأرشيف أكثر من { $most } ملف. أرسل مدة أقصر. لم يُستورد شيء.
import-fact-too-long = الطول الأقصى للمعلومة { $most } من الأحرف، و⁨facts[{ $number }]⁩ أطول من ذلك. لم يُستورد شيء.
import-empty = الملف فارغ. لم يُستورد شيء.
import-unknown-format = يبدو أن هذا { $seems }، لكنه ليس مما أعرفه. أستطيع قراءة { $known }، أيضًا مضغوطًا بصيغة .zip أو .gz. لم يُستورد شيء.
import-not-utf8 = الملف ليس نصًا بترميز UTF-8: السطر { $line }. لم يُستورد شيء.
import-damaged-archive = الأرشيف تالف أو مقفل. لم يُستورد شيء.
import-unpacked = بعد فكّه يزيد الملف على { $megabytes } ميغابايت. لم يُستورد شيء.
import-many-in-archive = في الأرشيف أكثر من { $most } ملف. لم يُستورد شيء.
import-no-export = لا يوجد في الأرشيف ملف تصدير أعرفه. أستطيع قراءة { $known }. لم يُستورد شيء.
import-too-much = في الملف أكثر مما أستطيع قراءته دفعة واحدة. أرسل مدة أقصر. لم يُستورد شيء.
import-died = يحتاج هذا الملف ذاكرة أو وقتًا أكثر مما يُسمح لي به. أرسل مدة أقصر. لم يُستورد شيء.
import-not-json = الملف ليس JSON صالحًا: السطر { $line }، العمود { $column }: { $why }. لم يُستورد شيء.
import-too-deep = تداخله عميق جدًا
import-out-of-bounds = رقم خارج كل الحدود
import-quotes-expected = كان المتوقع اسمًا بين علامتي اقتباس
import-follows = يوجد شيء بعد النهاية
import-expected = كان المتوقع «{ $what }»
import-expected-either = كان المتوقع «{ $what }» أو «{ $other }»
import-not-telegrams = ‏⁨{ $where }id⁩ ليس رقمًا، فالملف ليس من تيليجرام. لم يُستورد شيء.
import-wrong = ‏{ $where } (السطر { $line }): { $why }. لم يُستورد شيء.
import-no-object = ليس كائنًا
import-no-conversation = ليست محادثة
import-no-list = ليست قائمة
import-no-time = ليس وقتًا
import-circle = يدور في حلقة
import-missing = مفقود
import-its-no-number = القيمة { $name } ليست رقمًا
import-its-no-date = القيمة { $name } ليست تاريخًا
import-its-no-text = القيمة { $name } ليست نصًا
import-row = ‏{ $row }: { $why }
import-its-missing = القيمة { $name } مفقودة
import-its-no-truth = القيمة { $name } ليست ⁨true⁩ ولا ⁨false⁩
import-its-no-whole = القيمة { $name } ليست عددًا صحيحًا ضمن الحدود
import-its-no-choice = القيمة { $name } ليست من القيم المسموح بها
import-its-no-list = القيمة { $name } ليست قائمة بما يجب أن تحتويه
import-its-no-object = القيمة { $name } ليست كائنًا
import-its-no-figures = القيمة { $name } ليست كائنًا من أرقام فقط
import-its-no-summary = القيمة { $name } تشير إلى ملخص غير موجود
import-its-twice = القيمة { $name } مكررة مرتين
import-its-no-role = القيمة ⁨role⁩ ليست ⁨user⁩ ولا ⁨assistant⁩ ولا ⁨system⁩
import-text-neither = القيمة ⁨text⁩ ليست نصًا ولا قائمة أجزاء
import-piece-wordless = جزء من القيمة ⁨text⁩ بلا كلمات
import-version = إصدار ملف التصدير هذا { $version }، وأنا أعرف { $known }. حدّث البرنامج من فضلك.
import-no-owner = لا يقول ملف التصدير لمن هو (⁨owner⁩). لم يُستورد شيء.
import-no-part = لا يقول ملف التصدير أيّ أجزائه هذا (⁨part⁩). لم يُستورد شيء.
import-damaged = ملف التصدير تالف: { $why }. لم يُستورد شيء.
import-busy = يُعدّ الآن ملخص أو يجري استيراد آخر. حاول مجددًا بعد قليل.
import-chat-saved = الرسائل المحفوظة
import-chat-replies = الردود
import-chat-nameless = محادثة بلا اسم
import-chat-held = { $name } ({ $count })
import-holds-chats = عدد المحادثات فيه { $chats }: { $named }.
import-holds-more = { $named } و{ $more } أخرى
import-holds-conversations = عدد المحادثات فيه { $count }.
import-none-yours = لا رسالة منها لك (معرّفك في تيليجرام { $id }).
import-wordless = { $count ->
    [zero] تُركت { $count } رسالة بلا كلمات (صور، صوت، ملفات).
    [one] تُركت رسالة واحدة بلا كلمات (صور، صوت، ملفات).
    [two] تُركت رسالتان بلا كلمات (صور، صوت، ملفات).
    [few] تُركت { $count } رسائل بلا كلمات (صور، صوت، ملفات).
    [many] تُركت { $count } رسالة بلا كلمات (صور، صوت، ملفات).
   *[other] تُركت { $count } رسالة بلا كلمات (صور، صوت، ملفات).
 }
import-service = { $count ->
    [zero] تُركت { $count } رسالة خدمة (مكالمات، تثبيت، انضمام).
    [one] تُركت رسالة خدمة واحدة (مكالمات، تثبيت، انضمام).
    [two] تُركت رسالتا خدمة (مكالمات، تثبيت، انضمام).
    [few] تُركت { $count } رسائل خدمة (مكالمات، تثبيت، انضمام).
    [many] تُركت { $count } رسالة خدمة (مكالمات، تثبيت، انضمام).
   *[other] تُركت { $count } رسالة خدمة (مكالمات، تثبيت، انضمام).
 }
import-retained = { $days ->
    [zero] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من { $days } يوم: سيُمحى من هذه الرسائل مجددًا { $old }.
    [one] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من يوم: سيُمحى من هذه الرسائل مجددًا { $old }.
    [two] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من يومين: سيُمحى من هذه الرسائل مجددًا { $old }.
    [few] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من { $days } أيام: سيُمحى من هذه الرسائل مجددًا { $old }.
    [many] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من { $days } يومًا: سيُمحى من هذه الرسائل مجددًا { $old }.
   *[other] حدّد مشغّلي أن أمحو من الأرشيف ما مضى عليه أكثر من { $days } يوم: سيُمحى من هذه الرسائل مجددًا { $old }.
 }
import-already = هو موجود من قبل؛ وما زال ينقص: { $missing }.
import-signed-here = أنشأ هذا البوت الملف، ولم يتغيّر.
import-signed-altered = أنشأ هذا البوت الملف، لكنه عُدّل بعد ذلك.
import-signed-elsewhere = لم يوقّع هذا البوت الملف.
import-instructions = فيه تعليمات سأتّبعها من الآن كأنها منك: { $shown }.
import-instructions-more = { $shown } و{ $more } أخرى
import-differs = لا يمكن أن يعود كما كان، لأن { $why }. { $lost }.
import-differs-another = هذا ملف تصدير لذاكرة أخرى
import-differs-holds = في هذه الذاكرة شيء من قبل
import-differs-earlier = هذا واحد من عدة ملفات كتبها إصدار أقدم
import-lost-numbers = تأخذ رسائله أرقامًا جديدة وتُعدّ مستوردة
import-lost-summaries = { $count ->
    [zero] يُعاد إنشاء { $count } ملخص دون نموذج
    [one] يُعاد إنشاء ملخص واحد دون نموذج
    [two] يُعاد إنشاء ملخصين دون نموذج
    [few] يُعاد إنشاء { $count } ملخصات دون نموذج
    [many] يُعاد إنشاء { $count } ملخصًا دون نموذج
   *[other] يُعاد إنشاء { $count } ملخص دون نموذج
 }
import-lost-profile = يُترك ملفه الشخصي
import-lost-versions = تُترك النصوص السابقة للرسائل المعدّلة
import-send-others = أرسل ملفاته الأخرى أيضًا من فضلك.
import-part = الجزء { $number }
import-part-others = { $count } أخرى
import-part-following = ما يلي الجزء { $last }
import-seems-json = بيانات JSON
import-seems-html = صفحة ويب
import-seems-csv = جدولًا
import-seems-text = نصًا عاديًا
import-place = { $where } (السطر { $line }): { $why }
import-refused = ‏{ $why }. لم يُستورد شيء.
import-damaged-skipped = محادثات تالفة تُركت: { $count }. الأولى: { $first }.
import-nobody = لا أحد منهم
import-no-memories = لا أجد ذكريات في هذا النص. لم يُستورد شيء.
import-gemini-date = لا أستطيع قراءة التواريخ في هذه الصفحة. اختر JSON بدل HTML لقسم «نشاطي» في Google Takeout. لم يُستورد شيء.
import-order-dmy = ‏{ $example }: اليوم أولًا
import-order-mdy = ‏{ $example }: الشهر أولًا
import-chats-others = محادثات أصغر: { $chats } ({ $count })
import-chat-here = المحادثة معي ({ $count }) لا تُستورد: ما قيل هنا لا يُحفظ مرتين.
import-not-answered = أجب أولًا عن أسئلتي حول هذا الملف. لم يُستورد شيء.
import-ask-chats = أي المحادثات آخذ؟ اضغط على إحداها لاختيارها أو تركها.
import-ask-speaker = أيّ المتحدثين أنت؟
import-ask-order = كيف يكتب هذا الملف التواريخ؟
import-ask-facts = يحوي أيضًا حقائق عنك. ستُحفظ كلها؛ اضغط على رقم لحذف واحدة.
