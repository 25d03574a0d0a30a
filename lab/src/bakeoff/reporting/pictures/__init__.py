"""Charts as pictures for slides: SVG, and PNG made from it."""
