learning-offer = تعلّم معلومات منه
learning-what-it-takes = لا أتعلّم منه معلومات إلا إذا طلبت. { shared-messages }: نحو { $tokens } من الرموز (⁨tokens⁩)، والطلبات: { $requests }.
learning-begun = أتعلّم منه معلومات. يعرض ⁨/summary_status⁩ تقدّمي.
learning-busy = ما زلت أتعلّم من استيراد سابق.
learning-off = لا أستطيع التعلّم الآن: الذاكرة متوقفة، أو الوضع الخفي مفعّل، أو التعلّم متوقف هنا.
learning-nothing = لم يعد فيه ما أتعلّمه.
learning-stopped = توقفت. وما تعلّمته يبقى.
