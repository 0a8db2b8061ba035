# The dashboard: what its server and /dashboard say. The page itself has dashboard.ftl.

web-no-session = This link was used before, or it is too old. Send /dashboard to me for a new one.
web-not-served = This bot does not answer you. Ask whoever runs it to let you in.
web-not-yours = This memory belongs to somebody else. In a group, only its admins see this page.
web-too-large = That is too large.
web-elsewhere = Your memory is busy elsewhere. Please try it again in a moment.
web-menu-button = Memory
web-open = Open my memory
web-link =
    Everything I remember here, on one page. This link works once, within { $minutes } minutes, so keep it to yourself:
    { $link }
web-sent = I have sent you the link in our private chat.
web-none = There is no such page here.
web-set = There is no such page yet. Set { $setting } to the https address at which it is reached, and start the bot again.
web-anonymous = You write as an anonymous admin, so I do not know whom to send the link to. Send the command under your own name.
web-saved = Saved.
web-begun = It has begun.
