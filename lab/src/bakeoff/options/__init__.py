"""The options of a run and a comparison, the factors among them, and the names of contenders."""
