"""storage/json"""
