incognito-on = Incognito is on: I read my memory to answer, and write nothing to it. I forget what is said now when I restart or you turn this off. My answers are marked “{ $mark }”. /incognito off ends it.
incognito-off = Incognito is off: I remember again. What was said in the meantime is stored nowhere.
incognito-how = Send /incognito on, /incognito off, or just /incognito to switch.
incognito-memory-off = Memory is off here: nothing is stored anyway. /summary_on turns it on.
incognito-on-already = Incognito is on already.
incognito-off-already = Incognito is off already.
