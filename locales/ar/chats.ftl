# /new and /chats.

chats-begun = تبدأ هنا محادثة جديدة. ويبقى ما أعرفه عنك. يعرض ⁨/chats⁩ كل المحادثات.
chats-begun-off = نبدأ من جديد. الذاكرة متوقفة: لم يُحفظ شيء.
chats-too-long = أقصى عدد لأحرف العنوان { $most }.
chats-which-title = ماذا أسمّيها؟
chats-example = رحلة إلى لشبونة
chats-renamed = اسمها الآن «{ $title }».
chats-gone = لم تعد هذه المحادثة موجودة.
chats-opened = نكمل هنا.
chats-off = الذاكرة متوقفة: لا توجد إلا هذه المحادثة. الأمر ⁨/settings⁩ يشغّلها.
chats-none = لا توجد محادثة بعد.
chats-heading = محادثاتك. اضغط على إحداها لنكمل فيها.
chats-line = ‏{ $number }. { $title } · { $count } · { $date }
chats-untitled = محادثة جديدة
