"""Words, numbers and hints as people read them."""
