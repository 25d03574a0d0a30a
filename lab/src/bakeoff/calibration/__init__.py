"""What the machine itself can do: the ceilings and reference lines that results are compared with."""
