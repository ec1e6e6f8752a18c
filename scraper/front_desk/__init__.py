"""The front desk: what all commands share, and the work behind a command that spans several stages.

Takes a person's words; gives lines and an exit code. May import every room but the commands.
"""
