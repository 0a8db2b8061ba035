incognito-on = O modo anônimo está ligado: continuo lendo minha memória para responder, e não escrevo nada nela. O que é dito agora eu sei até reiniciar ou você desligar. Minhas respostas levam a marca “{ $mark }”. /incognito off encerra.
incognito-off = O modo anônimo está desligado: a partir de agora volto a lembrar. O que foi dito nesse meio-tempo não está guardado em lugar nenhum, e eu descartei.
incognito-how = Envie /incognito on, /incognito off, ou só /incognito para alternar.
incognito-memory-off = A memória está desligada aqui: de todo modo nada é guardado nem lido. /summary_on liga.
incognito-on-already = O modo anônimo já está ligado.
incognito-off-already = O modo anônimo já está desligado.
