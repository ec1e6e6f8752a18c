"""The commands, one a file: doormen that take options in, do one call, and set the exit code.

May import every room; no room imports a command. Scrapy finds them by their file name (`scrapy export`).
"""
