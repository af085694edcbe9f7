"""Has no attend()"""
