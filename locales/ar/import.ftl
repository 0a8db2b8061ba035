import-title-keepsake = تصدير مني
import-title-telegram = تصدير من Telegram Desktop
import-title-chatgpt = تصدير من ChatGPT
import-file-keepsake = تصديري أنا
import-file-telegram = result.json من Telegram Desktop
import-file-chatgpt = conversations.json من ChatGPT
import-or = { $others } أو { $last }
import-kinds-differ = في الأرشيف تصديرات من أنواع مختلفة. أرسلها واحدًا واحدًا.
import-several-own = في الأرشيف عدّة تصديرات مني. أرسلها واحدًا واحدًا.
import-too-many-messages = في الملف أكثر من { $most } رسالة. أرسل مدّة أقصر. لم يُستورد شيء.
import-too-many-facts = في الملف أكثر من { $most } معلومة. أرسل مدّة أقصر. لم يُستورد شيء.
import-facts-in-all = مع هذه المعلومات سأعرف عن هذه المحادثة أكثر من { $most } معلومة. لم يُستورد شيء.
import-too-many-files = في الأرشيف أكثر من { $most } ملف. أرسل مدّة أقصر. لم يُستورد شيء.
import-fact-too-long = ‏facts[{ $number }] أطول من { $most } حرف، ولا معلومة بهذا الطول. لم يُستورد شيء.
import-empty = الملف فارغ. لم يُستورد شيء.
import-unknown-format = لا أعرف هذه الصيغة. أستطيع قراءة { $known }، ولو مضغوطًا بصيغة .zip أو .gz. لم يُستورد شيء.
import-not-utf8 = الملف ليس نصًّا بترميز UTF-8: السطر { $line }. لم يُستورد شيء.
import-damaged-archive = الأرشيف تالف أو مقفل. لم يُستورد شيء.
import-unpacked = بعد فكّه يزيد الملف على { $megabytes } م.ب. لم يُستورد شيء.
import-many-in-archive = في الأرشيف أكثر من { $most } ملف. لم يُستورد شيء.
import-no-export = لا يوجد في الأرشيف تصدير أعرفه. أستطيع قراءة { $known }. لم يُستورد شيء.
import-too-much = في الملف أكثر مما أستطيع قراءته دفعة واحدة. أرسل مدّة أقصر. لم يُستورد شيء.
import-died = يحتاج هذا الملف ذاكرة أو وقتًا أكثر مما يُسمح لي به. أرسل مدّة أقصر. لم يُستورد شيء.
import-not-json = الملف ليس JSON صالحًا: السطر { $line }، العمود { $column }: { $why }. لم يُستورد شيء.
import-too-deep = تداخله عميق جدًا
import-out-of-bounds = رقم خارج كل الحدود
import-quotes-expected = كان المتوقع اسمًا بين علامتي اقتباس
import-follows = يوجد شيء بعد النهاية
import-expected = كان المتوقع «{ $what }»
import-expected-either = كان المتوقع «{ $what }» أو «{ $other }»
import-not-telegrams = ‏{ $where }id ليس رقمًا، فالملف ليس من تيليجرام. لم يُستورد شيء.
import-wrong = ‏{ $where } (السطر { $line }): { $why }. لم يُستورد شيء.
import-no-object = ليس كائنًا
import-no-conversation = ليست محادثة
import-no-list = ليست قائمة
import-no-time = ليس وقتًا
import-no-node = لا عقدة بهذا الاسم
import-circle = يدور في حلقة
import-missing = مفقود
import-its-no-number = '{ $name }' فيه ليس رقمًا
import-its-no-date = '{ $name }' فيه ليس تاريخًا
import-its-no-text = '{ $name }' فيه ليس نصًّا
import-its-no-role = 'role' فيه ليس user ولا assistant ولا system
import-text-neither = 'text' فيه ليس نصًّا ولا قائمة أجزاء
import-piece-wordless = جزء من 'text' فيه بلا كلمات
import-version = إصدار هذا التصدير { $version }، وأنا أعرف { $known }. حدّث البرنامج من فضلك.
import-no-owner = لا يقول التصدير لمن هو ('owner'). لم يُستورد شيء.
import-no-part = لا يقول التصدير أيّ ملفاته هذا ('part'). لم يُستورد شيء.
import-damaged = التصدير تالف: { $why }. لم يُستورد شيء.
import-busy = يُكتب الآن ملخّص أو يجري استيراد آخر. حاول مجددًا بعد قليل.
import-chat-saved = الرسائل المحفوظة
import-chat-replies = الردود
import-chat-nameless = محادثة بلا اسم
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
    [zero] يجعلني مشغّلي أمحو الأرشيف الأقدم من { $days } يوم: ستُمحى { $old } من هذه الرسائل مجددًا.
    [one] يجعلني مشغّلي أمحو الأرشيف الأقدم من يوم واحد: ستُمحى { $old } من هذه الرسائل مجددًا.
    [two] يجعلني مشغّلي أمحو الأرشيف الأقدم من يومين: ستُمحى { $old } من هذه الرسائل مجددًا.
    [few] يجعلني مشغّلي أمحو الأرشيف الأقدم من { $days } أيام: ستُمحى { $old } من هذه الرسائل مجددًا.
    [many] يجعلني مشغّلي أمحو الأرشيف الأقدم من { $days } يومًا: ستُمحى { $old } من هذه الرسائل مجددًا.
   *[other] يجعلني مشغّلي أمحو الأرشيف الأقدم من { $days } يوم: ستُمحى { $old } من هذه الرسائل مجددًا.
 }
import-already = هو موجود من قبل؛ وما زال ينقص: { $missing }.
import-instructions = فيه تعليمات سأتّبعها من الآن كأنها منك: { $shown }.
import-instructions-more = { $shown } و{ $more } أخرى
import-differs = لا يمكن أن يعود كما كان، لأن { $why }. { $lost }.
import-differs-another = هذا تصدير لذاكرة أخرى
import-differs-holds = في هذه الذاكرة شيء من قبل
import-differs-earlier = هذا واحد من عدّة ملفات كتبها إصدار أقدم
import-lost-numbers = تأخذ رسائله أرقامًا جديدة وتُعدّ مستوردة
import-lost-summaries = { $count ->
    [zero] يُعاد صنع { $count } ملخّص دون نموذج
    [one] يُعاد صنع ملخّص واحد دون نموذج
    [two] يُعاد صنع ملخّصين دون نموذج
    [few] يُعاد صنع { $count } ملخّصات دون نموذج
    [many] يُعاد صنع { $count } ملخّصًا دون نموذج
   *[other] يُعاد صنع { $count } ملخّص دون نموذج
 }
import-lost-profile = يُترك ملفّه الشخصي
import-lost-versions = تُترك النصوص السابقة للرسائل المعدّلة
import-send-others = أرسل ملفاته الأخرى أيضًا من فضلك.
import-part = الجزء { $number }
import-part-others = { $count } أخرى
import-part-following = ما يلي الجزء { $last }
