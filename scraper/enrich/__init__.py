"""Enrich: adds facts to records by a site's enrichers, again when the rules or what they looked up have changed.

Takes live record versions, gives rows of `enrichments`. May import models, parser, sites, site_rules,
stage_report, sweep and the store; no other stage.
"""
