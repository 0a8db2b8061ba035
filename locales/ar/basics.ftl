basics-hello = مرحبًا، أنا ⁨Keepsake⁩: بوت محادثة يتذكّر ما تخبره به.
basics-stored = حين تكون الذاكرة مفعّلة أحفظ رسائلك وأجوبتي والملخصات والإعدادات على الجهاز الذي أعمل عليه. ولكي أجيب أرسل رسالتك وما يتصل بها إلى نموذج لغوي. وحين تكون متوقفة أنسى هذا الحديث عند إعادة تشغيلي.
basics-stored-group = في هذه المجموعة لا أحفظ إلا ما يُقال لي وأسماء قائليه. ولا يصل إلى هنا شيء من المحادثات الخاصة. يمحو العضو كلامه بالرد عليه بالأمر ⁨/forget⁩؛ ويمحو المشرفون أي شيء.
basics-reminders = تبقى التذكيرات حتى تُرسل أو تُلغى.
basics-forgetting = الأمر ⁨/forget⁩ يمحو نهائيًا، إلا ما يحتفظ به تيليجرام ومزوّد النموذج.
basics-mode-on = الذاكرة مفعّلة ومحفوظة في { $storage }.
basics-mode-incognito = 🕶 الوضع الخفي مفعّل: أقرأ ذاكرتي ولا أكتب فيها شيئًا.
basics-mode-off = الذاكرة متوقفة: لا أحفظ شيئًا إلى أن تُشغَّل.
basics-turn-on = تشغيل الذاكرة
basics-button-stored = ما الذي يُحفظ
basics-button-help = مساعدة
basics-button-more = المزيد
basics-see-help = يعرض ⁨/help⁩ ما أستطيع فعله، ويعرض ⁨/privacy⁩ ما أحفظه.
basics-just-write = اكتب لي فحسب وسأجيبك.
basics-just-mention = أشِر إليّ أو رُدّ عليّ فأجيب.
basics-row = ‏{ $command } – { $description }
basics-retention = ما لُخّص ومضى عليه أكثر من { $days ->
    [zero] { $days } يوم
    [one] يوم واحد
    [two] يومين
    [few] { $days } أيام
    [many] { $days } يومًا
   *[other] { $days } يوم
 } يُمحى نهائيًا.
