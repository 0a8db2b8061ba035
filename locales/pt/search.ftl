search-how = /search PALAVRAS encontra mensagens anteriores por palavras e significado. Entre aspas, o texto exato: /search "óleo de nozes"
search-not-configured = Não há nada para buscar: a memória nunca foi ligada aqui. /summary a configura.
search-no-more = Não há mais nada.
search-nothing = Nada foi encontrado. Tente outras palavras, ou menos.
search-so-far = { $shown } de { $total }
search-more = Mais
search-in-all = Em todas as conversas
search-close = Nenhuma mensagem tem essas palavras. O mais próximo em significado:
