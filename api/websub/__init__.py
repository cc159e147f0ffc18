"""Our own hub for our feeds (WebSub, W3C Recommendation of 2018-01-23)."""
