learning-offer = Learn facts from it
learning-what-it-takes = I learn facts from it only if you ask me to. { shared-messages } of yours: about { $tokens } tokens (requests: { $requests }).
learning-begun = I am learning facts from it. /summary_status shows how far I am.
learning-busy = I am still learning from an earlier import.
learning-off = I cannot learn now: memory is off, incognito is on, or learning is turned off here.
learning-nothing = There is nothing more in it to learn.
learning-stopped = I have stopped. What I learned stays.
