offline-marker = أنا النموذج غير المتصل: لا أستطيع إلا اقتباس ما أخبرتني به.
offline-remembered = هذا ما أتذكره:
offline-unknown = لا أجد في ذاكرتي شيئًا عن ذلك.
offline-nearest = أقرب ما أتذكره:
offline-noted = قرأت ذلك.
offline-hello = مرحبًا!
