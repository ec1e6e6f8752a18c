"""Watching: what a healthy crawl had promised, and how the log reads.

Takes a site card and the database; gives sentences for people. May import models, sites, errors, text and store.
"""
