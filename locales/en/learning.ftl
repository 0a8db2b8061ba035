learning-offer = Learn facts from it
learning-what-it-takes = I learn no facts from it unless you ask me to. If you do, I read { shared-messages } of yours now, in about { $requests ->
    [one] { $requests } request
   *[other] { $requests } requests
 } of roughly { $tokens } tokens in all: in the background, and within the daily token budget.
learning-begun = I am learning facts from it in the background. /summary_status shows my progress, /memory what I know.
learning-busy = I am still learning from what was imported before. Please try again when that is done.
learning-off = I cannot learn now: memory is off (/summary_on), incognito is on (/incognito off), or my operator has turned learning off.
learning-nothing = There is nothing (more) in it to learn from.
learning-stopped = I have stopped learning from it. What I learned stays; the button continues.
learning-stop = Stop
learning-continue = Continue
