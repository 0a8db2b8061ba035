# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = استخدامك للنماذج (الأيام بتوقيت ⁨UTC⁩)
usage-heading-group =
    استخدام النماذج لذاكرة هذه المجموعة (الأيام بتوقيت ⁨UTC⁩)
    تُحتسب الأجوبة على من يسأل.
usage-days = { $days ->
    [few] آخر { $days } أيام: { $answers }
   *[other] آخر { $days } يومًا: { $answers }
 }
usage-days-group = { $days ->
    [few] آخر { $days } أيام
   *[other] آخر { $days } يومًا
 }
usage-answers = { $answers ->
    [zero] لا أجوبة
    [one] جواب واحد
    [two] جوابان
    [few] { $answers } أجوبة
    [many] { $answers } جوابًا
   *[other] { $answers } جواب
 }
usage-nothing = لم تُستخدم أي رموز (⁨tokens⁩).
usage-tokens = عدد الرموز (⁨tokens⁩): { $tokens }؛ الداخل { $prompt } (منها { $cached } مخبأة)، والباقي خارج
usage-written = كُتب منها { $tokens } في ذاكرة المزوّد المؤقتة
usage-cost = التكلفة: ⁨${ $cost }⁩
usage-cost-partly = التكلفة: ⁨${ $cost }⁩، دون النماذج التي لم يُحدَّد سعرها
usage-left = الباقي حتى 00:00 ⁨UTC⁩: { $tokens } من الرموز (⁨tokens⁩)
