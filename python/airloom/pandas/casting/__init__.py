"""Values as other dtypes: `astype` and its kin, and text read as numbers and timestamps."""
