"""The export stage: rows of one moment become finished files with a manifest, published or held back by the gate.

Takes a site, its enrichers and scorecards as values, the formats, and the database; gives files. May import models,
sites, parser, errors, store and monitor; no other stage, and no format (they are found by name in `exports/`).
"""
