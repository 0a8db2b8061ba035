"""telegram_ui/updates"""
