"""The sites, one folder each: card, spider, models, parsers, enrich, score. They import the engine; nobody them."""
