"""matchwire's language: matches, liveblogs and the rules between them, without any I/O."""
