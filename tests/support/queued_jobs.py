"""Wait for the jobs of serial queues by their tasks, which are named QUEUE:KEY. Other tasks have no colon."""

import asyncio


async def wait_for_queued_jobs() -> None:
    """Wait until no queue of this event loop runs a job."""
    quiet_rounds = 0
    while quiet_rounds < 3:  # the end of a job begins the next one in a later round of the event loop
        running = [task for task in asyncio.all_tasks() if ":" in task.get_name()]
        quiet_rounds = 0 if running else quiet_rounds + 1
        await (asyncio.wait(running) if running else asyncio.sleep(0))
