"""Windows that move along rows: `rolling`, `expanding` and `ewm`."""
