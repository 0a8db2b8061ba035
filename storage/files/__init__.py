"""storage/files"""
