transfer-admins-export = Nur die Admins dieser Gruppe können ihr Gedächtnis exportieren.
transfer-admins-import = Nur die Admins dieser Gruppe können in ihr Gedächtnis importieren.
