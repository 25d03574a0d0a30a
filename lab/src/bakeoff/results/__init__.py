"""What people read: result files and the table on the terminal."""
