incognito-on = Incognito is on: I still read my memory to answer, and write nothing to it. I know what is said now until I restart or you turn this off. My answers are marked “{ $mark }”. /incognito off ends it.
incognito-off = Incognito is off: from now on I remember again. What was said in the meantime is stored nowhere, and I have dropped it.
incognito-how = Send /incognito on, /incognito off, or just /incognito to switch.
incognito-memory-off = Memory is off here: nothing is stored anyway, and nothing of it is read. /summary_on turns it on.
incognito-on-already = Incognito is on already.
incognito-off-already = Incognito is off already.
