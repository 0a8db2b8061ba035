"""telegram_ui/commands"""
