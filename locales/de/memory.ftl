memory-usage =
    /memory zeigt, was ich über dich weiß.
    /memory add TEXT – sag mir, was ich mir merken soll
    /memory 12 – Fakt 12 mit seiner Geschichte
    /memory edit 12 TEXT, /memory pin 12, /memory unpin 12, /memory delete 12, /memory undo 12
memory-add-what = Sag mir, was ich mir merken soll: /memory add und danach ein Satz.
memory-too-long = Ein Fakt hat höchstens { $most } Zeichen; dieser hat { $length }. Nichts wurde geändert.
memory-not-on = Das Gedächtnis ist noch nicht eingerichtet, deshalb kann ich nichts aufheben. /summary_on schaltet es ein.
memory-not-for-one-person = In den Direktnachrichten eines Kanals führe ich weder Fakten noch Profil: Sie würden dem Kanal gehören und so allen erzählt, die ihm schreiben. Was hier gesagt wird, merke ich mir für dich allein.
memory-incognito-on = Inkognito ist an, deshalb schreibe ich nichts auf, auch das nicht. /incognito off beendet es.
memory-added = Notiert: { $text }
memory-known-already = Das weiß ich schon: { $text }
memory-full = Ich kenne schon { $most } Fakten und behalte nicht mehr. /memory zeigt sie; dort kannst du welche löschen.
memory-holds-no-longer = Das gilt nicht mehr und lässt sich deshalb nicht anheften: { $text }
memory-no-such-fact = Es gibt keinen Fakt { $id }, der sich ändern ließe. /memory zeigt, was ich weiß.
memory-nothing-to-undo = Das wurde nicht von Hand geändert, es gibt nichts zurückzunehmen.
memory-new-text =
    Sende den neuen Text; bisher: { $text }
    /cancel lässt ihn, wie er ist.
memory-profile-erased = Diese Fassung ist gelöscht.
memory-undone = Es ist wieder wie vorher; der andere Text ist gelöscht.
memory-undone-derived = Es ist wieder wie vorher; der andere Text ist gelöscht, und was daraus entstand: { $what }.
memory-distilling = Ich schreibe das Profil neu und sage dir, wenn es fertig ist.
memory-distilling-already = Das Profil wird gerade geschrieben.
memory-nothing-known = Ich weiß noch nichts über dich. Fakten lerne ich aus dem, was du mir bei eingeschaltetem Gedächtnis erzählst, kurz nachdem du es sagst; /memory add TEXT fügt sofort einen hinzu.
memory-nothing-known-group = Ich weiß noch nichts über diese Gruppe. Fakten lerne ich aus dem, was ihre Mitglieder mir bei eingeschaltetem Gedächtnis erzählen, kurz nachdem sie es sagen; /memory add TEXT fügt sofort einen hinzu.
memory-off = Das Gedächtnis ist aus: Ich lerne nichts Neues und benutze nichts davon, bis du /summary_on sendest.
memory-done-pin = Angeheftet, ich berücksichtige es bei jeder Antwort: { $text }
memory-done-unpin = Nicht mehr angeheftet: { $text }
memory-done-delete = Entfernt: { $text } Einen Tag lang lässt es sich zurückholen, dann ist es gelöscht. /forget löscht sofort.
memory-done-undo = Es ist wieder wie vorher: { $text }
memory-heading-instruction = Woran ich mich halten soll
memory-heading-preference = Was du bevorzugst
memory-heading-facts = Fakten
memory-count = { $heading } ({ $total })
memory-count-page = { $heading } ({ $total }, Seite { $page } von { $pages })
memory-worth-vital = immer wichtig
memory-worth-important = wichtig
memory-worth-minor = nebensächlich
memory-title = Was ich über dich weiß
memory-title-group = Was ich über diese Gruppe weiß
memory-profile = Profil (Fassung { $id }, { $day })
memory-deleted = Entfernt, einen Tag lang zurückzuholen:
memory-press = Tippe auf eine Nummer, um den Fakt zu sehen: ändern, anheften, entfernen, zurückholen.
memory-button-newer = ‹ Neuere
memory-button-older = Ältere ›
memory-button-profile = Profil und Fassungen
memory-since = seit { $day }
memory-earlier = { $number } frühere
memory-holds = Gilt seit { $from }; zuletzt gesagt { $said }.
memory-held = Galt von { $from } bis { $until }; zuletzt gesagt { $said }.
memory-learned = Gelernt aus { shared-messages }.
memory-by-hand = Von Hand hinzugefügt.
memory-superseded = Ersetzt durch: { $text }
memory-is-deleted = Entfernt. Einen Tag lang lässt er sich zurückholen, dann ist er gelöscht.
memory-button-undo-delete = Zurückholen
memory-button-unpin = Lösen
memory-button-pin = Anheften
memory-button-edit = Ändern
memory-button-delete = Entfernen
memory-button-undo-edit = Zurücknehmen
memory-button-all = ‹ Alle Fakten
memory-before = Bis { $until }: { $text }
memory-before-now = Davor, { $from } bis jetzt: { $text }
memory-no-profile = Es gibt noch kein Profil. Es entsteht, wenn es genug zu sagen gibt, oder jetzt, mit dem Knopf unten.
memory-profiles = { $versions ->
    [one] Profil: { $versions } Fassung, die neueste gilt.
   *[other] Profil: { $versions } Fassungen, die neueste gilt.
 }
memory-version = Fassung { $id }, { $day }
memory-button-rewrite = Jetzt neu schreiben
memory-button-erase = Fassung { $id } löschen
memory-rewritten = Das Profil ist neu geschrieben (Fassung { $id }):
memory-not-enough = Für ein Profil ist noch nicht genug da, oder die Antwort des Modells war nicht zu gebrauchen.
memory-not-written = Das Profil wurde nicht geschrieben: { $why } Nichts wurde geändert.
