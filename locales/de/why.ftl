why-nothing-known = Ich habe hier noch nichts beantwortet, was ich erklären könnte.
why-not-this-one = Ich weiß nicht, woraus diese Nachricht entstand. Erklären kann ich nur meine Antworten, und nur die neuesten 100. Antworte auf eine mit /why, oder sende nur /why für die letzte.
why-title = Woraus meine Antwort ({ $date }) entstand
why-not-stored = Diese Erklärung ist nicht gespeichert: Bei einem Neustart vergesse ich sie.
why-heading-parts = Was das Modell bekam
why-heading-summaries = Zusammenfassungen früherer Gespräche
why-heading-profile = Dein Profil
why-heading-facts = Fakten über dich, die zur Frage passen, die besten zuerst
why-heading-snippets = Frühere Nachrichten zu deiner Frage, die besten zuerst
why-heading-looked-up = Frühere Nachrichten, die das Modell selbst nachgeschlagen hat
why-heading-recent = Das jüngste Gespräch, Wort für Wort
why-heading-here = Das jüngste Gespräch, nicht gespeichert
why-heading-cut = Weggelassen, aber auffindbar, wenn es darauf ankommt
why-part-system = meine Anweisungen
why-part-profile = dein Profil
why-part-summaries = Zusammenfassungen
why-part-recent = das jüngste Gespräch, Wort für Wort
why-part-tools = Werkzeuge und was sie fanden
why-part-instructions = woran ich mich halten soll
why-part-facts = Fakten über dich
why-part-snippets = frühere Nachrichten
why-part-clock = Datum, Uhrzeit und worauf du antwortest
why-part-message = deine Nachricht
why-part-overhead = Beiwerk der Anfrage
why-for-words = gleiche Wörter wie deine Frage
why-for-words-before = Wörter deiner vorigen Fragen
why-for-meaning = ähnlicher Sinn
why-for-nearby = neben etwas, das passt
why-for-pinned = du hast sie angeheftet
why-for-instruction = du hast darum gebeten
why-for-preference = du bevorzugst es
why-for-speaker = du hast genannt, wer es sagte
why-for-reply = gehört zu dem, worauf du antwortest
why-for-time = aus der Zeit deiner Frage
why-for-opening = beginnt das Gespräch jenes Tages
why-for-recent = vor Kurzem gesagt
why-loosely = nur entfernt verwandt
why-until-then = Bis dahin: „{ $text }“
why-count-recent = { $number ->
    [one] { $number } jüngste Nachricht
   *[other] { $number } jüngste Nachrichten
 }
why-count-facts = { $number ->
    [one] { $number } Fakt über dich
   *[other] { $number } Fakten über dich
 }
why-count-found = { $number ->
    [one] { $number } gefundene frühere Nachricht
   *[other] { $number } gefundene frühere Nachrichten
 }
why-count-profile = dein Profil
why-sources = Deine Frage, dazu { $what }.
why-sources-none = Nur deine Frage: Sonst war nichts bekannt.
why-size = Das Modell { $model } bekam { $tokens } von höchstens { $most } Tokens.
why-size-whole = Der ganze Verlauf wären etwa { $tokens } gewesen.
why-tokens = { $tokens ->
    [one] { $tokens } Token
   *[other] { $tokens } Tokens
 }
why-tokens-of = { $tokens } von { $most ->
    [one] { $most } Token
   *[other] { $most } Tokens
 }
why-part = · { $part }: { $size }
why-here = { shared-messages }, die ich bis zum Neustart weiß
why-summary = · { $dates }, { shared-messages }: „{ $text }“
why-gone = · { $number } weitere, seither vergessen oder neu erstellt
why-profile-gone = Es ist seither gelöscht.
why-profile = Stand { $date } (immer dabei): „{ $text }“
why-forgotten = seither vergessen
why-fact = · „{ $text }“ Seit { $day }, gelernt aus { $messages ->
    [one] { $messages } Nachricht
   *[other] { $messages } Nachrichten
 } von dir.
why-fact-by-hand = · „{ $text }“ Seit { $day }, von Hand hinzugefügt.
why-why = Warum: { $reason }
why-message-cut = Deine Nachricht war zu lang und wurde in der Mitte gekürzt.
why-cut-summary = Eine ältere Zusammenfassung: Dafür war kein Platz.
why-said = { $date } { $speaker }: „{ $text }“
why-span = { $first } bis { $last }
why-cut-turns = Ältere Nachrichten: Dafür war kein Platz.
why-cut-archived = Ältere Nachrichten, die in keiner Zusammenfassung vorkommen.
why-cut-document = Stellen aus einer Datei: Sie werden durchsucht, nicht wiederholt.
why-details = Einzelheiten
why-page = Seite { $page } von { $pages }
