"""Bot-wide state that belongs to no memory: inbox, people, usage, wizard, directory, leases."""
