"""What users hold: the classes, accessors and functions of pandas, tried on the engine first."""
