reminders-offer = ¿Te lo recuerdo { $when }?
reminders-yes = Sí
reminders-no = No
reminders-declined = No se ha puesto ningún recordatorio.
reminders-too-old = Esta pregunta es demasiado antigua. Pídemelo otra vez o usa /reminders add.
reminders-passed = Esa hora ya ha pasado. Pídemelo otra vez con otra.
reminders-impossible-none = Ese día o esa hora no existe. Dime otra, por favor.
reminders-impossible-far = Falta demasiado: te lo recuerdo dentro de los próximos { $years } años.
reminders-set = Te lo recordaré { $when }: { $text }
reminders-cancel = Cancelarlo
reminders-cancelled = Cancelado: { $text }
reminders-gone = Ese recordatorio ya no existe.
reminders-not-yours = Solo puede cancelarlo quien lo pidió o un administrador del grupo.
reminders-none = No hay recordatorios.
reminders-how = Di «recuérdame el viernes a las 9 llamar a Ana», o envía /reminders add con la hora y el motivo: /reminders add cada lunes a las 10 enviar el informe.
reminders-press = Cada botón cancela el recordatorio de su número.
reminders-utc = Las horas están en UTC, pues no conozco tu zona horaria: /tz la establece.
reminders-zone = Indicar mi zona horaria
reminders-heading = { $reminders ->
    [one] { $reminders } recordatorio:
   *[other] { $reminders } recordatorios:
 }
reminders-full = { $reminders ->
    [one] Ya hay { $reminders } recordatorio y no caben más. Cancélalo en /reminders.
   *[other] Ya hay { $reminders } recordatorios y no caben más. Cancela alguno en /reminders.
 }
reminders-due = Recordatorio: { $text }
reminders-late = Era para { $when }; entonces no pude enviarlo.
reminders-each-daily = { $when }, y luego cada día
reminders-each-weekly = { $when }, y luego cada semana
reminders-each-monthly = { $when }, y luego cada mes
reminders-weekdays = lun mar mié jue vie sáb dom
reminders-add-words = añade añadir nuevo
reminders-in-words = en dentro
reminders-minute-words = minuto minutos min
reminders-hour-words = hora horas h
reminders-day-words = día dias días
reminders-today-words = hoy
reminders-tomorrow-words = mañana
reminders-every-words = cada todos
reminders-at-words = a la las el los
reminders-half-words = h horas
reminders-joining-words = que de a
reminders-weekday-beginnings = lun mar mié/mie jue vie sáb/sab dom
