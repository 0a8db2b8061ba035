learning-offer = Fakten daraus lernen
learning-what-it-takes = Fakten lerne ich daraus nur, wenn du es willst. { shared-messages } von dir: etwa { $tokens } Tokens (Anfragen: { $requests }).
learning-begun = Ich lerne Fakten daraus. /summary_status zeigt, wie weit ich bin.
learning-busy = Ich lerne noch aus einem früheren Import.
learning-off = Ich kann gerade nicht lernen: Gedächtnis aus, Inkognito an oder Lernen hier abgeschaltet.
learning-nothing = Daraus gibt es nichts mehr zu lernen.
learning-stopped = Ich habe aufgehört. Was ich gelernt habe, bleibt.
