"""Reading and writing by key: `[]`, `loc`, `iloc`, `at` and `iat`."""
