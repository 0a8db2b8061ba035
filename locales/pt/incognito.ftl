incognito-on = O modo anônimo está ligado: leio a memória para responder e não gravo nada nela. Minhas respostas levam “{ $mark }”. /incognito off o encerra.
incognito-off = O modo anônimo está desligado: volto a lembrar. O que foi dito nesse meio-tempo não está guardado.
