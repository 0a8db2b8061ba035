search-how = /search WÖRTER findet hier frühere Nachrichten, zusammengefasst oder nicht, die besten zuerst: nach ihren Wörtern, und nach ihrem Sinn, wenn diese Suche an ist. Was in Anführungszeichen steht, wird genau so gesucht: /search "Walnussöl"
search-not-configured = Es gibt nichts zu durchsuchen: Das Gedächtnis war hier nie an. /summary richtet es ein.
search-too-old = Diese Liste ist zu alt. Bitte such noch einmal.
search-no-more = Mehr gibt es nicht.
search-nothing = In dieser Unterhaltung wurde nichts gefunden. Versuch es mit anderen Wörtern oder mit weniger.
search-so-far = { $shown } von { $total }
search-more = Mehr
