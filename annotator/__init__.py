"""People rate: claims in, ratings, adjudication, exports."""
