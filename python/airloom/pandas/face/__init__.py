"""The classes that users hold: pandas' own, with plans in place of data until somebody looks."""
