search-how = اكتب كلمات بعد ⁨/search⁩ فأجد رسائل سابقة بكلماتها ومعناها. وما بين علامتي اقتباس كما هو: ⁨/search⁩ "زيت الجوز"
search-not-configured = لا شيء للبحث فيه: لم تُشغَّل الذاكرة هنا قط. الأمر ⁨/summary⁩ يعدّها.
search-no-more = لا يوجد المزيد.
search-nothing = لم يُعثر على شيء. جرّب كلمات أخرى أو أقل.
search-so-far = { $shown } من { $total }
search-more = المزيد
search-in-all = في كل المحادثات
search-close = لا توجد رسالة بهذه الكلمات. الأقرب في المعنى:
