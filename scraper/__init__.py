"""The engine: one room per stage; touches network, database and disk. Imports no site and no export format."""
