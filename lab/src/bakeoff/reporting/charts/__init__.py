"""Charts as data: what is drawn is decided once, here; pages and pictures only draw it."""
