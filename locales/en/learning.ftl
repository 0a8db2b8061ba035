learning-offer = Learn facts from it
learning-what-it-takes = I learn no facts from it unless you ask me to. That takes { shared-messages } of yours, about { $requests ->
    [one] { $requests } request
   *[other] { $requests } requests
 } and roughly { $tokens } tokens, in the background.
learning-begun = I am learning facts from it in the background. /summary_status shows my progress, /memory what I know.
learning-busy = I am still learning from what was imported before. Please try again when that is done.
learning-off = I cannot learn now: memory is off (/summary_on), incognito is on (/incognito off), or learning is turned off here.
learning-nothing = There is nothing (more) in it to learn from.
learning-stopped = I have stopped learning from it. What I learned stays.
learning-stop = Stop
learning-continue = Continue
