summaries-not-configured = لم تُضبط الذاكرة بعد. الأمر ⁨/summary⁩ يضبطها؛ والأمر ⁨/summary_on⁩ يشغّلها بالخيارات المعتادة (⁨SQLite⁩، كل 20 رسالة).
summaries-none = لا توجد ملخصات بعد. يعرض ⁨/summary_status⁩ موعد الملخص التالي.
summaries-never-on = الذاكرة متوقفة أصلًا: لم تُشغَّل قط، ولا شيء محفوظ.
summaries-off-already = الذاكرة متوقفة أصلًا. ما حُفظ يبقى محفوظًا.
summaries-off = الذاكرة متوقفة. ما حُفظ يبقى محفوظًا، وكذلك إعداداتك؛ ولا أقرؤه ولا أضيف إليه حتى ترسل ⁨/summary_on⁩.
summaries-now-off = لا شيء لتلخيصه: الذاكرة متوقفة. الأمر ⁨/summary_on⁩ يشغّلها.
summaries-toast-on = الذاكرة مفعّلة.
summaries-on-already = الذاكرة مفعّلة أصلًا ({ $storage }، والتلخيص كل { shared-turns }).
summaries-on = الذاكرة مفعّلة: أحفظها في { $storage } وألخّص كل { shared-turns }. أتذكر من الآن؛ وما قيل قبل ذلك غير محفوظ. الأمر ⁨/summary⁩ يغيّر هذا.
summaries-on-again = الذاكرة مفعّلة: أحفظها في { $storage } وألخّص كل { shared-turns }. أتذكر من الآن؛ وما قيل وهي متوقفة غير محفوظ. الأمر ⁨/summary⁩ يغيّر هذا.
summaries-status-unset = الذاكرة: متوقفة (لم تُعدّ بعد)
summaries-status-storage-unset = مكان الحفظ: ⁨SQLite⁩ (إن شغّلتها)
summaries-status-threshold-unset = التلخيص: كل { shared-turns } (إن شغّلتها)
summaries-status-enabled = الذاكرة: مفعّلة
summaries-status-disabled = الذاكرة: متوقفة
summaries-status-storage = مكان الحفظ: { $storage }
summaries-status-threshold = التلخيص: كل { shared-turns }
summaries-status-policy = الطريقة: { $policy }
summaries-status-policy-by-hand = الطريقة: { $policy } (التلخيص التلقائي متوقف)
summaries-status-since = الرسائل منذ آخر ملخص: { $number }
summaries-status-total = مجموع الرسائل: { $number }
summaries-status-archived = الرسائل المؤرشفة: { $number }
summaries-status-active = الملخصات النشطة: { $number }
summaries-status-level = طبقات الملخصات: { $number }
summaries-status-compressed = اختُصرت أقدم التفاصيل { $times ->
    [zero] { $times } مرة
    [one] مرة واحدة
    [two] مرتين
    [few] { $times } مرات
   *[other] { $times } مرة
 }.
summaries-status-rebuilding = يُعاد إنشاء كل الملخصات: { $done } من { $parts ->
    [zero] { $parts } جزء
    [one] جزء واحد
    [two] جزأين
    [few] { $parts } أجزاء
    [many] { $parts } جزءًا
   *[other] { $parts } جزء
 }.
summaries-status-learning = أتعلّم معلومات من السجل المستورد: { $done } من { $total } من رسائلك.
summaries-status-saved = الرموز (⁨tokens⁩) الموفّرة حتى الآن: نحو { $tokens }
summaries-status-incognito = ‏{ $mark }: تُقرأ الذاكرة ولا يُكتب شيء (الأمر ⁨/incognito off⁩ ينهيه)
summaries-status-folding = يُعدّ ملخص الآن.
summaries-status-index = فهرس البحث: { $done } من { $messages } من الرسائل
summaries-status-unreadable = لا يُعثر عليها إلا بالكلمات: { shared-messages }
summaries-status-words-only = البحث بالمعنى لا يعمل الآن، والبحث بالكلمات يعمل.
summaries-status-failure = آخر إخفاق: { $date }: { $error } (لم يضع شيء)
summaries-status-one-of = هذه الأرقام للمحادثة المفتوحة؛ وعدد المحادثات كلها { $number } (⁨/chats⁩).
summaries-status-json-large = حين تزيد الرسائل على { $most } يُنصح باستخدام ⁨SQLite⁩: الأمر ⁨/summary⁩ ينقل كل شيء.
summaries-utc = ‏{ $date } ⁨UTC⁩
summaries-one = ‏{ $kind } · { $dates } · { shared-messages }
summaries-folded = لُخّصت { shared-messages }: { $summaries ->
    [zero] { $summaries } ملخص جديد
    [one] ملخص جديد واحد
    [two] ملخصان جديدان
    [few] { $summaries } ملخصات جديدة
    [many] { $summaries } ملخصًا جديدًا
   *[other] { $summaries } ملخص جديد
 }. يعرضها ⁨/summary_show⁩.
summaries-folded-older = لُخّصت ملخصات أقدم: { $summaries ->
    [zero] { $summaries } ملخص جديد
    [one] ملخص جديد واحد
    [two] ملخصان جديدان
    [few] { $summaries } ملخصات جديدة
    [many] { $summaries } ملخصًا جديدًا
   *[other] { $summaries } ملخص جديد
 }. يعرضها ⁨/summary_show⁩.
summaries-nothing = لا شيء لتلخيصه: كل شيء ملخَّص أصلًا، أو لم يُقل شيء بعد.
summaries-busy = يُعدّ ملخص الآن. حاول مرة أخرى بعد قليل.
summaries-waiting = ‏{ $why } لم يضع شيء: سيُلخَّص المستحق حينها.
summaries-not-made = تعذّر إعداد الملخص.
summaries-failed = ‏{ $why } لم يضع شيء: كل الرسائل باقية، وسأحاول مرة أخرى.
summaries-kind-1 = ملخص
summaries-kind-2 = ملخص لملخصات أقدم
summaries-kind-3 = نظرة عامة على أقدم الأحاديث
summaries-status-newest-good = يحفظ أحدث ملخص ما يهم.
summaries-status-newest-fair = يحفظ أحدث ملخص معظم ما يهم.
summaries-status-newest-poor = يترك أحدث ملخص الكثير. وتبقى كل كلمة قابلة للبحث.
