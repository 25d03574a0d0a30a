"""What on this machine makes results worse or wrong, what that costs, and the command that fixes it."""
