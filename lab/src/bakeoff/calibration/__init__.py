"""The limits of the machine itself: ceilings and reference lines that results are compared with."""
