"""One-off measurements of a URL, without a contract, a target or a database."""
