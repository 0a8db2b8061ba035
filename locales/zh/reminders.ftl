reminders-offer = 要在 { $when } 提醒你吗？
reminders-yes = 是
reminders-no = 否
reminders-declined = 没有设置提醒。
reminders-too-old = 这个问题太旧了。请再说一次，或使用 /reminders add。
reminders-passed = 这个时间已经过去了。请换一个时间再说一次。
reminders-impossible-none = 没有这样的日期或时间。请换一个。
reminders-impossible-far = 这太远了：我只能提醒未来 { $years } 年内的事。
reminders-set = 我会在 { $when } 提醒你：{ $text }
reminders-cancel = 取消提醒
reminders-cancelled = 已取消：{ $text }
reminders-gone = 这个提醒已经不存在了。
reminders-not-yours = 只有要求提醒的人或群管理员可以取消它。
reminders-none = 没有提醒。
reminders-how = 请说“提醒我周五9点给小安打电话”，或发送 /reminders add 加上时间和内容：/reminders add 每周一10点交报告。
reminders-press = 按钮会取消对应编号的提醒。
reminders-utc = 时间为 UTC，因为我不知道你的时区：用 /tz 设置。
reminders-zone = 设置时区
reminders-heading = { $reminders ->
   *[other] { $reminders } 个提醒：
 }
reminders-full = { $reminders ->
   *[other] 已经有 { $reminders } 个提醒，放不下了。请在 /reminders 里取消一些。
 }
reminders-due = 提醒：{ $text }
reminders-late = 原定时间是 { $when }，当时我无法发送。
reminders-each-daily = { $when }，之后每天
reminders-each-weekly = { $when }，之后每周
reminders-each-monthly = { $when }，之后每月
reminders-weekdays = 周一 周二 周三 周四 周五 周六 周日
reminders-add-words = 添加 新建
reminders-in-words = 过
reminders-minute-words = 分钟 分鐘
reminders-hour-words = 小时 小時
reminders-day-words = 天
reminders-today-words = 今天
reminders-tomorrow-words = 明天
reminders-every-words = 每个
reminders-at-words = 在
reminders-half-words = 点
reminders-joining-words = 提醒我
reminders-weekday-beginnings = 周一/星期一 周二/星期二 周三/星期三 周四/星期四 周五/星期五 周六/星期六 周日/星期日/星期天
