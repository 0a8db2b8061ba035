offline-marker = Ich bin das Offline-Modell: Ich kann nur zitieren, was du mir erzählt hast.
offline-remembered = Das weiß ich noch:
offline-unknown = Dazu finde ich nichts in meinem Gedächtnis.
offline-nearest = Am nächsten kommt dem:
offline-noted = Gelesen.
offline-hello = Hallo!
