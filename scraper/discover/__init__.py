"""Discovery: the spider of a site folder, its seeds, and the rule of which links are followed.

Takes the site card and its parsers, gives requests and records. May import models, parser, sites; no other stage.
"""
