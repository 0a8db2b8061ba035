forget-admins-only = Nur die Admins dieser Gruppe können mich vergessen lassen, was hier gesagt wurde.
forget-members = Nur die Admins dieser Gruppe können mich vergessen lassen, was hier gesagt wurde. Deine eigenen Worte kannst du selbst zurücknehmen: Antworte auf deine Nachricht mit /forget.
