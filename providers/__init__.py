"""matchwire's providers: what each vendor says, translated into the language of `mapping`."""
