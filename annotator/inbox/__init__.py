"""The inbox of the home page: what waits for somebody, what is late, what has finished."""
