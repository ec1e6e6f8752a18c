"""The parsers of the demo shop, one file a page type."""
