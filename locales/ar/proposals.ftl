proposals-ask-remember = هل أتذكر هذا؟
proposals-yes-remember = تذكّره
proposals-memory-off = الذاكرة متوقفة أو في الوضع الخفي: لم يتغير شيء.
proposals-remembered = حفظتها: { $text }
proposals-ask-command = هل أفعل هذا من أجلك؟
proposals-yes-command = نعم
proposals-declined = لم يتغير شيء.
