why-nothing-known = لم أقدّم هنا بعد جوابًا أستطيع شرحه.
why-not-this-one = لا أعرف ممّ تكوّنت تلك الرسالة. أستطيع شرح أجوبتي فقط، وأحدث 100 منها فقط. رُدّ على أحدها بالأمر ⁨/why⁩، أو أرسل ⁨/why⁩ وحده للجواب الأخير.
why-title = ممّ تكوّن جوابي ({ $date })
why-not-stored = هذا الشرح غير محفوظ: أنساه عند إعادة التشغيل.
why-heading-parts = ما أُعطي للنموذج
why-heading-summaries = ملخصات أحاديث سابقة
why-heading-profile = ملفك الشخصي
why-heading-facts = معلومات عنك توافق سؤالك، والأفضل أولًا
why-heading-snippets = رسائل سابقة استُرجعت لسؤالك، والأفضل أولًا
why-heading-looked-up = رسائل سابقة بحث عنها النموذج بنفسه
why-heading-recent = الحديث الأخير حرفيًا
why-heading-here = حديث أخير غير محفوظ
why-heading-cut = تُرك، لكن يُعثر عليه عند الحاجة
why-part-system = تعليماتي
why-part-profile = ملفك الشخصي
why-part-summaries = الملخصات
why-part-recent = الحديث الأخير حرفيًا
why-part-tools = الأدوات وما وجدته
why-part-instructions = ما طلبت مني الالتزام به
why-part-facts = معلومات عنك
why-part-snippets = رسائل سابقة مسترجعة
why-part-clock = التاريخ والوقت وما رددت عليه
why-part-message = رسالتك
why-part-overhead = ما يلزم الطلب نفسه
why-for-words = كلمات من سؤالك
why-for-words-before = كلمات مما سألت قبلًا
why-for-meaning = معنى قريب
why-for-nearby = بجوار ما يناسب
why-for-pinned = ثبّتَّها أنت
why-for-instruction = طلبتَ ذلك
why-for-preference = هذا ما تفضّله
why-for-speaker = ذكرت من قالها
why-for-reply = ضمن ما رددت عليه
why-for-time = من الوقت الذي تسأل عنه
why-for-opening = بداية حديث ذلك اليوم
why-for-recent = قيل مؤخرًا
why-loosely = صلة بعيدة فقط
why-until-then = حتى ذلك الحين: «{ $text }»
why-count-recent = { $number ->
    [zero] { $number } من الرسائل الأخيرة
    [one] رسالة أخيرة واحدة
    [two] رسالتان أخيرتان
    [few] { $number } رسائل أخيرة
   *[other] { $number } رسالة أخيرة
 }
why-count-facts = { $number ->
    [zero] { $number } معلومة عنك
    [one] معلومة واحدة عنك
    [two] معلومتان عنك
    [few] { $number } معلومات عنك
   *[other] { $number } معلومة عنك
 }
why-count-found = { $number ->
    [zero] { $number } رسالة سابقة عُثر عليها
    [one] رسالة سابقة واحدة عُثر عليها
    [two] رسالتان سابقتان عُثر عليهما
    [few] { $number } رسائل سابقة عُثر عليها
   *[other] { $number } رسالة سابقة عُثر عليها
 }
why-count-profile = ملفك الشخصي
why-sources = سؤالك، ومعه { $what }.
why-sources-none = سؤالك وحده: لم يُعرف شيء غيره.
why-size = تلقّى النموذج { $model } من الرموز (⁨tokens⁩): { $tokens }، والحد الأقصى { $most }.
why-size-whole = ولو أُرسل السجل كله لبلغ عددها نحو { $tokens }.
why-tokens = { $tokens ->
    [zero] { $tokens } رمز
    [one] رمز واحد
    [two] رمزان
    [few] { $tokens } رموز
    [many] { $tokens } رمزًا
   *[other] { $tokens } رمز
 }
why-tokens-of = { $tokens } من { $most } من الرموز
why-part = ‏· { $part }: { $size }
why-here = ‏{ shared-messages } أعرفها حتى إعادة التشغيل
why-summary = ‏· { $dates }، { shared-messages }: «{ $text }»
why-gone = ‏· { $number } أخرى نُسيت أو أُعيد إنشاؤها منذ ذلك الحين
why-profile-gone = مُحي منذ ذلك الحين.
why-profile = حتى { $date } (يُضمَّن دائمًا): «{ $text }»
why-forgotten = نُسيت منذ ذلك الحين
why-fact = · «{ $text }» منذ { $day }، من رسائلك ({ $messages }).
why-fact-by-hand = · «{ $text }» منذ { $day }، أُضيفت يدويًا.
why-why = السبب: { $reason }
why-message-cut = كانت رسالتك طويلة جدًا فقُطع وسطها.
why-cut-summary = ملخص أقدم: لم يتسع له المكان.
why-said = ‏{ $date } { $speaker }: «{ $text }»
why-span = { $first } إلى { $last }
why-cut-turns = رسائل أقدم: لم يتسع لها المكان.
why-cut-archived = رسائل أقدم لا يشملها أي ملخص.
why-cut-document = مقاطع من ملف: يُبحث فيها ولا تُكرَّر.
why-details = التفاصيل
why-page = الصفحة { $page } من { $pages }
