language-question = بأي لغة أتكلم؟ أجوبتي تتبع اللغة التي تكتب بها.
language-automatic = كما في تيليجرام
language-chosen = أتحدث الآن هذه اللغة: { $language }.
language-button = اللغة: { $language }
