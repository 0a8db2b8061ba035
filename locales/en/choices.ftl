# /settings and /tz.

choices-which-time = What time is it for you now? Press it, or send /tz and a larger city: /tz Berlin
choices-which-city = Which larger city are you in or near?
choices-heading = Settings
choices-memory = Memory
choices-kept = Kept in { $storage }
choices-every = Every { $number }
choices-every-what = I summarise every { shared-turns }.
choices-incognito = Incognito
choices-no-pictures = I cannot see pictures here.
choices-no-voices = I cannot hear voice messages here.
choices-no-speech = I cannot speak my answers here.
choices-set = As the bot's admin you can change that: { $setting }.
choices-formatting = Formatting: { $how }
choices-formatting-plain = plain
choices-formatting-rich = rich
choices-spoken-none = Not spoken
choices-spoken-voice = To voice only
choices-spoken-always = All spoken
choices-zone = Time zone: { $zone }, { $time }
choices-zone-is = Your time zone is { $zone }, where it is { $time }.
choices-zone-fixed = If your clocks change in summer, name a city instead.
choices-zone-unknown = I know no time zone “{ $words }”. Try a larger city, Europe/Berlin or UTC+3.
choices-zone-similar = I know no time zone “{ $words }”. Did you mean { $names }?
choices-reply = { $question } Reply to this message.
