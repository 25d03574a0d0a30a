"""What a comparison can vary: factors, their levels, and the names that runs get from them."""
