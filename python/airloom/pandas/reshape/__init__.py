"""Frames put together and turned: `concat`, `merge`, `melt`, `pivot`, `explode`."""
