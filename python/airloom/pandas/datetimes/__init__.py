"""The accessor `dt`."""
