"""Follow rules that people and clients make: a document comes in, the rule as it stands goes out, and counts at once.

Routes call the endpoint, the desk the operations; the rules at work are behind the port, `RuleEngine`.
"""
