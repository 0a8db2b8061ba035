learning-offer = تعلّم معلومات منه
learning-what-it-takes = لا أتعلّم منه معلومات إلا إذا طلبت مني. فإن طلبت قرأت الآن رسائلك، وعددها { $messages }، في نحو { $requests ->
    [zero] { $requests } طلب
    [one] طلب واحد
    [two] طلبين
    [few] { $requests } طلبات
    [many] { $requests } طلبًا
   *[other] { $requests } طلب
 } مجموعها نحو { $tokens } من الرموز (⁨tokens⁩): في الخلفية، وضمن رصيد الرموز اليومي.
learning-begun = أتعلّم منه معلومات في الخلفية. يعرض ⁨/summary_status⁩ تقدّمي، ويعرض ⁨/memory⁩ ما أعرفه.
learning-busy = ما زلت أتعلّم مما استُورد من قبل. حاول مرة أخرى حين ينتهي ذلك.
learning-off = لا أستطيع التعلّم الآن: الذاكرة متوقفة (⁨/summary_on⁩)، أو الوضع الخفي مفعّل (⁨/incognito off⁩)، أو أوقف مشغّلي التعلّم.
learning-nothing = ليس فيه (أو لم يعد فيه) ما أتعلّمه.
learning-stopped = توقفت عن التعلّم منه. ما تعلّمته يبقى؛ والزر يتابع.
learning-stop = إيقاف
learning-continue = متابعة
