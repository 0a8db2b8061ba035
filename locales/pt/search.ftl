search-how = /search PALAVRAS acha mensagens anteriores daqui, resumidas ou não, as melhores primeiro: pelas palavras, e pelo sentido se essa busca estiver ligada. O que estiver entre aspas é buscado exatamente como está: /search "óleo de nozes"
search-not-configured = Não há nada para buscar: a memória nunca foi ligada aqui. /summary configura.
search-too-old = Essa lista é antiga demais. Busque de novo.
search-no-more = Não há mais nada.
search-nothing = Nada foi encontrado nesta conversa. Tente outras palavras, ou menos.
search-so-far = { $shown } de { $total }
search-more = Mais
