reminders-offer = هل أذكّرك { $when }؟
reminders-yes = نعم
reminders-no = لا
reminders-declined = لم يُضبط أي تذكير.
reminders-too-old = هذا السؤال قديم جدًا. اطلب مني مرة أخرى، أو استخدم ⁨/reminders add⁩.
reminders-passed = لقد مضى هذا الوقت. اطلب مني مرة أخرى بوقت آخر.
reminders-impossible-none = هذا اليوم أو الوقت غير موجود. اذكر غيره من فضلك.
reminders-impossible-far = هذا بعيد جدًا: أذكّرك بما يأتي خلال السنوات الـ{ $years } القادمة.
reminders-set = سأذكّرك { $when }: { $text }
reminders-cancel = إلغاء التذكير
reminders-cancelled = أُلغي: { $text }
reminders-gone = لم يعد هذا التذكير موجودًا.
reminders-not-yours = لا يلغيه إلا من طلبه أو أحد مشرفي المجموعة.
reminders-none = لا توجد تذكيرات.
reminders-how = قل «ذكّرني يوم الجمعة الساعة 9 أن أتصل بسارة»، أو أرسل ⁨/reminders add⁩ متبوعًا بالوقت والموضوع: ⁨/reminders add⁩ كل يوم اثنين الساعة 10 إرسال التقرير.
reminders-press = الزر يلغي التذكير الذي يحمل رقمه.
reminders-utc = الأوقات بتوقيت UTC لأنني لا أعرف منطقتك الزمنية: يضبطها ⁨/tz⁩.
reminders-zone = ضبط المنطقة الزمنية
reminders-heading = { $reminders ->
    [zero] { $reminders } تذكير:
    [one] تذكير واحد:
    [two] تذكيران:
    [few] { $reminders } تذكيرات:
    [many] { $reminders } تذكيرًا:
   *[other] { $reminders } تذكير:
 }
reminders-full = { $reminders ->
   *[other] بلغ عدد التذكيرات { $reminders } ولا مكان لغيرها. ألغِ بعضها بالأمر ⁨/reminders⁩.
 }
reminders-due = تذكير: { $text }
reminders-late = كان موعده { $when }، ولم أتمكن من إرساله حينها.
reminders-each-daily = { $when }، ثم كل يوم
reminders-each-weekly = { $when }، ثم كل أسبوع
reminders-each-monthly = { $when }، ثم كل شهر
reminders-weekdays = الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد
reminders-add-words = أضف جديد
reminders-in-words = بعد
reminders-minute-words = دقيقة دقائق
reminders-hour-words = ساعة ساعات
reminders-day-words = يوم أيام
reminders-today-words = اليوم
reminders-tomorrow-words = غدا غدًا غداً
reminders-every-words = كل
reminders-at-words = في الساعة عند
reminders-half-words = مساء صباحا
reminders-joining-words = أن بأن
reminders-weekday-beginnings = الاثنين/اثنين الثلاثاء/ثلاثاء الأربعاء/أربعاء الخميس/خميس الجمعة/جمعة السبت/سبت الأحد/أحد
