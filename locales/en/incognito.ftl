incognito-on = Incognito is on: I read my memory to answer, and write nothing to it. My answers are marked “{ $mark }”. /incognito off ends it.
incognito-off = Incognito is off: I remember again. What was said meanwhile is not stored.
