# /usage. Numbers of tokens are whole; the cost comes as text.

usage-heading = استخدامك للنماذج (الأيام بتوقيت UTC)
usage-heading-group = ما استخدمته ذاكرة هذه المجموعة من النماذج (الأيام بتوقيت UTC)
usage-days = { $days ->
    [few] آخر { $days } أيام: { $answers }
   *[other] آخر { $days } يومًا: { $answers }
 }
usage-answers = { $answers ->
    [zero] لا إجابات
    [one] إجابة واحدة
    [two] إجابتان
    [few] { $answers } إجابات
    [many] { $answers } إجابة
   *[other] { $answers } إجابة
 }
usage-nothing = لم تُستخدم أي رموز.
usage-tokens = عدد الرموز: { $tokens }؛ منها للقراءة { $prompt } (من الذاكرة المؤقتة { $cached })، والباقي للكتابة
usage-cost = التكلفة: ${ $cost }
usage-cost-partly = التكلفة: ${ $cost }، دون النماذج التي لم يُحدَّد سعرها
usage-left = الرموز المتبقية لليوم: { $tokens }. تتجدد عند 00:00 بتوقيت UTC.
usage-no-limit = لا يوجد حد يومي.
usage-chart = الرموز في كل يوم؛ أعلى عمود { $tokens }.
