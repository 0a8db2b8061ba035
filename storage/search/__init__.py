"""storage/search"""
