memory-usage =
    الأمر ⁨/memory⁩ يعرض ما أعرفه عنك.
    لتخبرني بما أتذكره: ⁨/memory add⁩ ثم النص
    لعرض المعلومة رقم 12 وتاريخها: ⁨/memory 12⁩
    وكذلك: ⁨/memory edit 12⁩ ثم النص، ⁨/memory pin 12⁩، ⁨/memory unpin 12⁩، ⁨/memory delete 12⁩، ⁨/memory undo 12⁩
memory-add-what = أخبرني بما أتذكره: ⁨/memory add⁩ متبوعًا بجملة واحدة.
memory-too-long = أقصى عدد لأحرف المعلومة { $most }، وعدد أحرف هذه { $length }. لم يتغير شيء.
memory-not-on = لم تُعدّ الذاكرة بعد، فلا أستطيع حفظ شيء. الأمر ⁨/summary_on⁩ يشغّلها.
memory-not-for-one-person = في الرسائل المباشرة للقناة لا أحتفظ بمعلومات ولا بملف شخصي: فهي ستكون ملكًا للقناة وتُقال لكل من يكتب إليها. أما ما يقال هنا فأتذكره لك وحدك.
memory-incognito-on = الوضع الخفي مفعّل، فلا أدوّن شيئًا، وهذا لم يُدوَّن. الأمر ⁨/incognito off⁩ ينهيه.
memory-added = دوّنتها: { $text }
memory-known-already = أعرف هذا من قبل: { $text }
memory-full = أعرف { $most } معلومة ولا أحفظ أكثر. يعرضها ⁨/memory⁩، ويمكنك حذف بعضها.
memory-holds-no-longer = لم يعد هذا ساريًا، فلا يمكن تثبيته: { $text }
memory-no-such-fact = لا توجد معلومة رقم { $id } يمكن تغييرها. يعرض ⁨/memory⁩ ما أعرفه.
memory-nothing-to-undo = لم يُغيَّر هذا يدويًا، فلا شيء للتراجع عنه.
memory-new-text =
    أرسل النص الجديد لهذه المعلومة؛ وهو حتى الآن: { $text }
    الأمر ⁨/cancel⁩ يتركها كما هي.
memory-profile-erased = مُحيت تلك النسخة.
memory-undone = عاد كل شيء كما كان، ومُحي النص الآخر.
memory-undone-derived = عاد كل شيء كما كان، ومُحي النص الآخر وما اشتُق منه: { $what }.
memory-distilling = أعيد كتابة الملف الشخصي، وسأخبرك عند الانتهاء.
memory-distilling-already = يُكتب الملف الشخصي الآن.
memory-nothing-known = لا أعرف عنك شيئًا بعد. أتعلّم المعلومات مما تقوله لي والذاكرة مفعّلة، بعد قوله بقليل؛ ولإضافة واحدة فورًا أرسل ⁨/memory add⁩ ثم النص.
memory-nothing-known-group = لا أعرف شيئًا عن هذه المجموعة بعد. أتعلّم المعلومات مما يقوله لي أعضاؤها والذاكرة مفعّلة، بعد قوله بقليل؛ ولإضافة واحدة فورًا أرسل ⁨/memory add⁩ ثم النص.
memory-off = الذاكرة متوقفة: لا أتعلّم جديدًا ولا أستخدم شيئًا من هذا حتى ترسل ⁨/summary_on⁩.
memory-done-pin = ثُبّتت، وأراعيها في كل جواب: { $text }
memory-done-unpin = لم تعد مثبّتة: { $text }
memory-done-delete = حُذفت: { $text } يمكن استعادتها خلال يوم، ثم تُمحى. والأمر ⁨/forget⁩ يمحو فورًا.
memory-done-undo = عادت كما كانت: { $text }
memory-heading-instruction = ما طلبت مني الالتزام به
memory-heading-preference = ما تفضّله
memory-heading-facts = معلومات
memory-count = ‏{ $heading } ({ $total })
memory-count-page = ‏{ $heading } ({ $total }، الصفحة { $page } من { $pages })
memory-worth-vital = مهم دائمًا
memory-worth-important = مهم
memory-worth-minor = ثانوي
memory-title = ما أعرفه عنك
memory-title-group = ما أعرفه عن هذه المجموعة
memory-profile = الملف الشخصي (النسخة { $id }، { $day })
memory-deleted = محذوف، يمكن استعادته خلال يوم:
memory-press = اضغط رقمًا لرؤية المعلومة: تعديل، تثبيت، حذف، استعادة.
memory-button-newer = ‹ الأحدث
memory-button-older = الأقدم ›
memory-button-profile = الملف الشخصي ونسخه
memory-since = منذ { $day }
memory-earlier = سابقة: { $number }
memory-holds = سارية منذ { $from }؛ قيلت آخر مرة في { $said }.
memory-held = كانت سارية من { $from } حتى { $until }؛ قيلت آخر مرة في { $said }.
memory-learned = مصدرها: { shared-messages }.
memory-by-hand = أُضيفت يدويًا.
memory-superseded = حلّت محلها: { $text }
memory-is-deleted = محذوفة. يمكن استعادتها خلال يوم، ثم تُمحى.
memory-button-undo-delete = استعادة
memory-button-unpin = إلغاء التثبيت
memory-button-pin = تثبيت
memory-button-edit = تعديل
memory-button-delete = حذف
memory-button-undo-edit = تراجع عن التعديل
memory-button-all = ‹ كل المعلومات
memory-before = حتى { $until }: { $text }
memory-before-now = قبل ذلك، من { $from } إلى الآن: { $text }
memory-no-profile = لا يوجد ملف شخصي بعد. يُكتب حين يوجد ما يكفي، أو الآن بالزر أدناه.
memory-profiles = { $versions ->
    [zero] الملف الشخصي: { $versions } نسخة، والأحدث هي المستخدمة.
    [one] الملف الشخصي: نسخة واحدة، وهي المستخدمة.
    [two] الملف الشخصي: نسختان، والأحدث هي المستخدمة.
    [few] الملف الشخصي: { $versions } نسخ، والأحدث هي المستخدمة.
   *[other] الملف الشخصي: { $versions } نسخة، والأحدث هي المستخدمة.
 }
memory-version = النسخة { $id }، { $day }
memory-button-rewrite = أعد الكتابة الآن
memory-button-erase = امحُ النسخة { $id }
memory-rewritten = أُعيدت كتابة الملف الشخصي (النسخة { $id }):
memory-not-enough = لا يوجد بعد ما يكفي لكتابة ملف شخصي، أو تعذّر استخدام جواب النموذج.
memory-not-written = لم يُكتب الملف الشخصي: { $why } لم يتغير شيء.
