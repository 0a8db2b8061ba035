learning-offer = Aprender datos de ello
learning-what-it-takes = Aprendo datos de ello solo si me lo pides. { shared-messages }: unos { $tokens } tokens (peticiones: { $requests }).
learning-begun = Estoy aprendiendo datos de ello. /summary_status muestra mi avance.
learning-busy = Aún estoy aprendiendo de una importación anterior.
learning-off = Ahora no puedo aprender: memoria desactivada, modo incógnito activado o aprendizaje desactivado aquí.
learning-nothing = No hay nada más que aprender de ello.
learning-stopped = He parado. Lo aprendido se queda.
