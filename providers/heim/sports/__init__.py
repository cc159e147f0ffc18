"""A file for each sport of HEIM:SPIEL's: the rows of one match come in, the match goes out, `providers.heim.translate` calls it."""
