search-how = /search WORDS finds earlier messages by words and meaning. Quotes find exact words: /search "walnut oil"
search-not-configured = There is nothing to search: memory was never turned on. /summary sets it up.
search-no-more = There is nothing more.
search-nothing = Nothing was found. Try other words, or fewer.
search-so-far = { $shown } of { $total }
search-more = More
search-in-all = In all conversations
search-close = No message has these words. Nearest in meaning:
