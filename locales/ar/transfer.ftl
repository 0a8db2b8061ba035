transfer-admins-export = لا يمكن إلا لمشرفي هذه المجموعة تصدير ذاكرتها.
transfer-admins-import = لا يمكن إلا لمشرفي هذه المجموعة الاستيراد إلى ذاكرتها.
