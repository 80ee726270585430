"""Who rates what, worked out without a row: shares, who meets whom, texts of sentinels. Pure."""
