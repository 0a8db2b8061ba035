forget-admins-only = Only the admins of this group can make me forget what was said here.
forget-members = Only the admins of this group can make me forget what was said here. Your own words you can take back yourself: reply to your message with /forget.
