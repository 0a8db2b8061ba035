"""The memory page, as a Mini App in Telegram and in any browser. static/ contains the page itself."""
