"""Rules over record versions, for the stages after the crawl: found by name, taken over what they have still to judge.

Takes enrichers and scorecards; gives findings to the store and a report. May import models, sites, monitor and store.
"""
