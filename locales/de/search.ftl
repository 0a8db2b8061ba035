search-how = /search WÖRTER findet frühere Nachrichten nach Wörtern und Bedeutung. In Anführungszeichen genau so: /search "Walnussöl"
search-not-configured = Es gibt nichts zu durchsuchen: Das Gedächtnis war hier nie an. /summary richtet es ein.
search-no-more = Mehr gibt es nicht.
search-nothing = Nichts gefunden. Versuch es mit anderen oder weniger Wörtern.
search-so-far = { $shown } von { $total }
search-more = Mehr
search-in-all = In allen Unterhaltungen
search-close = Keine Nachricht hat diese Wörter. In der Bedeutung am nächsten:
