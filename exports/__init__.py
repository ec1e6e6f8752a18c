"""The export formats, one file each, found by name. Finished files go to EXPORT_DIR (default `var/exports`)."""
