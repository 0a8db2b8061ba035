"""The page of one's memory, as a Mini App in Telegram and in any browser; static/ holds the page itself."""
