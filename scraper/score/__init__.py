"""Score: a number with its reasons for each record, again when a scorecard or an enrichment has changed.

Takes live record versions with their enrichments, gives rows of `scores`. May import models, parser, sites, site_rules,
stage_report, sweep and the store; of the enrich stage its interface alone: whose facts there are, in which model.
"""
