"""Conditions of this machine that distort results, their cost, and the command that fixes each."""
