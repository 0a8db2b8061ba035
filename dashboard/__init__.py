"""The memory page, which opens as a Telegram Mini App or in any browser. static/ contains the page itself."""
