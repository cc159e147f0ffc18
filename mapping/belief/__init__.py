"""What of a provider's answers is believed: additions at once, steps back by a second answer."""
