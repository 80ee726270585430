"""Files that several hosts share: put into a store by digest, fetched where they are missing."""
