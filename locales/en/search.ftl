search-how = /search WORDS finds earlier messages here, summarised or not, best first: by their words, and by what they mean if search by meaning is on. What you put in quotes is found exactly as written: /search "walnut oil"
search-not-configured = There is nothing to search: memory was never turned on here. /summary sets it up.
search-too-old = That list is too old. Please search again.
search-no-more = There is nothing more.
search-nothing = Nothing was found in this conversation. Try other words, or fewer.
search-so-far = { $shown } of { $total }
search-more = More
