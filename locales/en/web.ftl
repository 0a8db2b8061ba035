# What the dashboard's server and /dashboard say.

web-no-session = This link is used up or too old, or you have signed out. Send me /dashboard for a new one.
web-not-served = Ask whoever runs this bot to let you in.
web-not-yours = This memory belongs to somebody else; a group’s is for its admins.
web-too-large = That is too large.
web-elsewhere = Your memory is busy. Please try again in a moment.
web-one-file = Another file is on its way. Please try again in a moment.
web-open = Open my memory
web-link =
    All that I remember here. The link works once, within { $minutes } minutes; keep it to yourself:
    { $link }
web-none = There is no such page here.
web-set = There is no such page yet: set { $setting } to its https address, and start the bot again.
web-anonymous = You write as an anonymous admin. Send the command under your own name.
web-saved = Saved.
