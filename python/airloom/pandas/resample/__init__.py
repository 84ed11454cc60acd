"""Groups by time: `resample`, and `Grouper` with a frequency."""
