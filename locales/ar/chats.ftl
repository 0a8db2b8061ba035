# /new and /chats.

chats-begun = تبدأ هنا محادثة جديدة. ما قيل من قبل يبقى في المحادثة الأخرى، وما أعرفه عنك ما زلت أعرفه. يعرض ⁨/chats⁩ كل المحادثات.
chats-begun-titled = تبدأ هنا محادثة جديدة: «{ $title }». ما قيل من قبل يبقى في المحادثة الأخرى، وما أعرفه عنك ما زلت أعرفه. يعرض ⁨/chats⁩ كل المحادثات.
chats-begun-off = نبدأ من جديد: ما قيل حتى الآن وُضع جانبًا. الذاكرة متوقفة، فلا يُحفظ منه شيء.
chats-too-long = أقصى عدد لأحرف العنوان { $most }، وعدد أحرف هذا { $length }.
chats-which-title = ما اسم هذه المحادثة؟
chats-example = رحلة إلى لشبونة
chats-renamed = اسم المحادثة الآن «{ $title }».
chats-gone = لم تعد هذه المحادثة موجودة.
chats-opened = نكمل في هذه المحادثة.
chats-off = الذاكرة متوقفة، فليس هناك إلا ما نقوله الآن. الأمر ⁨/settings⁩ يشغّلها، والأمر ⁨/new⁩ يبدأ من جديد.
chats-none = لا توجد محادثة بعد: لم يُقل هنا شيء منذ تشغيل الذاكرة.
chats-heading = محادثاتك. العلامة تدل على المحادثة التي نحن فيها؛ اضغط على أخرى لنكمل فيها.
chats-line = ‏{ $number }. { $title } · { $count } · { $date }
chats-untitled = محادثة جديدة
chats-button-later = ▶ الأحدث
chats-button-earlier = الأقدم ◀
chats-button-new = محادثة جديدة
chats-button-rename = ✏️
chats-button-delete = 🗑
chats-ask-delete = هل أنسى المحادثة «{ $title }» وما تعلمته منها؟
chats-after-delete = يعرض ⁨/chats⁩ المحادثات الأخرى.
