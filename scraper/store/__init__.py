"""The store: engine and dialects, tables, migrations, one file per table family, the writer thread.

Takes frozen values and gives frozen values; knows no Scrapy. May import models, sites and errors.
"""
