learning-offer = تعلّم معلومات منه
learning-what-it-takes = لا أتعلّم منه معلومات إلا إذا طلبت مني. فإن طلبت قرأت الآن { shared-messages } منك، في نحو { $requests ->
    [zero] { $requests } طلب
    [one] طلب واحد
    [two] طلبين
    [few] { $requests } طلبات
   *[other] { $requests } طلبًا
 } ومجموعها نحو { $tokens } رمزًا (⁨token⁩): في الخلفية، وضمن ميزانية الرموز اليومية.
learning-begun = أتعلّم منه معلومات في الخلفية. يعرض ⁨/summary_status⁩ تقدّمي، ويعرض ⁨/memory⁩ ما أعرفه.
learning-busy = ما زلت أتعلّم مما استُورد من قبل. حاول مرة أخرى حين ينتهي ذلك.
learning-off = لا أستطيع التعلّم الآن: الذاكرة متوقفة (⁨/summary_on⁩)، أو الوضع الخفي مفعّل (⁨/incognito off⁩)، أو أوقف مشغّلي التعلّم.
learning-nothing = لا يوجد فيه ما أتعلّمه (بعد الآن).
learning-stopped = توقفت عن التعلّم منه. ما تعلّمته يبقى؛ والزر يتابع.
learning-stop = إيقاف
learning-continue = متابعة
