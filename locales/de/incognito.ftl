incognito-on = Inkognito ist an: Zum Antworten lese ich mein Gedächtnis und schreibe nichts hinein. Meine Antworten tragen „{ $mark }“. /incognito off beendet es.
incognito-off = Inkognito ist aus: Ich merke mir wieder alles. Was inzwischen gesagt wurde, ist nicht gespeichert.
