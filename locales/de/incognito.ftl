incognito-on = Inkognito ist an: Zum Antworten lese ich mein Gedächtnis weiter, schreibe aber nichts hinein. Was jetzt gesagt wird, weiß ich, bis ich neu starte oder du es ausschaltest. Meine Antworten tragen die Marke „{ $mark }“. /incognito off beendet es.
incognito-off = Inkognito ist aus: Ab jetzt merke ich mir wieder alles. Was inzwischen gesagt wurde, ist nirgends gespeichert, und ich habe es verworfen.
incognito-how = Sende /incognito on, /incognito off oder nur /incognito zum Umschalten.
incognito-memory-off = Das Gedächtnis ist hier aus: Es wird ohnehin nichts gespeichert und nichts gelesen. /summary_on schaltet es ein.
incognito-on-already = Inkognito ist schon an.
incognito-off-already = Inkognito ist schon aus.
