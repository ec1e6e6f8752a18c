"""The tests, in the same rooms as the code; `pages/` keeps real pages beside the records they must become."""
