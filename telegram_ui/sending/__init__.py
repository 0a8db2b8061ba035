"""telegram_ui/sending"""
