"""What runs next to the talk. Does not know what a turn is.

indexing.py   messages → vectors, in the background
rebuild.py    all summaries of a chat made anew, in the background
scheduler.py  what is done now and then beside the talk
"""
