"""CPU profiles of running programs, and how two of them differ."""
