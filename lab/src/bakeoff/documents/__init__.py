"""Files of people and programs: parsed, checked against their schema, and located by line."""
