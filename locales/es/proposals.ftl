proposals-ask-remember = ¿Recuerdo esto?
proposals-yes-remember = Recordarlo
proposals-memory-off = La memoria está desactivada o estás en incógnito: no ha cambiado nada.
proposals-remembered = Lo recordaré: { $text }
proposals-ask-command = ¿Lo hago por ti?
proposals-yes-command = Hazlo
proposals-declined = No ha cambiado nada.
