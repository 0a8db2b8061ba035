learning-offer = Fakten daraus lernen
learning-what-it-takes = Ich lerne daraus keine Fakten, wenn du mich nicht darum bittest. Wenn doch, lese ich jetzt { shared-messages } von dir, in etwa { $requests ->
    [one] { $requests } Anfrage
   *[other] { $requests } Anfragen
 } mit insgesamt rund { $tokens } Tokens: im Hintergrund und im Rahmen des täglichen Token-Budgets.
learning-begun = Ich lerne im Hintergrund Fakten daraus. /summary_status zeigt, wie weit ich bin, /memory, was ich weiß.
learning-busy = Ich lerne noch aus dem, was vorher importiert wurde. Bitte versuch es, wenn das fertig ist.
learning-off = Ich kann gerade nicht lernen: Das Gedächtnis ist aus (/summary_on), Inkognito ist an (/incognito off), oder mein Betreiber hat das Lernen abgeschaltet.
learning-nothing = Daraus gibt es nichts (mehr) zu lernen.
learning-stopped = Ich lerne nicht weiter daraus. Was ich gelernt habe, bleibt; der Knopf macht weiter.
learning-stop = Stopp
learning-continue = Weiter
