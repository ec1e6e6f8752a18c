"""Validation: turns any item into a record of the site, or refuses it with a reason per field."""
