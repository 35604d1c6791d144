"""longtake: is this long video any good, where does it fail, and can the judge be trusted?"""
