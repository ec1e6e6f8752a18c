"""The parsers of books.toscrape.com, one file a page type."""
