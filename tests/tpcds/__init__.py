"""TPC-DS: small tables, and the 99 queries in the words of Polars."""
