language-question = بأي لغة أخاطبك؟ هذا الاختيار لعباراتي الثابتة وقوائمي؛ أما أجوبتي فتتبع اللغة التي تكتب بها.
language-question-group = بأي لغة أتحدث في هذه المجموعة؟ هذا الاختيار لعباراتي الثابتة وقوائمي؛ أما أجوبتي فتتبع اللغة التي يُكتب لي بها.
language-automatic = كما في تيليجرام
language-chosen = أتحدث الآن هذه اللغة: { $language }.
language-chosen-automatic = أتبع الآن لغة تيليجرام لديك: { $language }.
language-unknown = لا أتحدث «{ $wanted }». اضغط أحد الأزرار أو أرسل واحدًا من هذه: { $names }.
language-button = اللغة: { $language }
