"""Recordings of the test media in which known sentences are said."""

SENTENCES = {
    "bbaf2n": "bin blue at f two now",
    "lbax4n": "lay blue at x four now",
    "lrwp9a": "lay red with p nine again",
    "pwij3p": "place white in j three please",
    "sbia1a": "set blue in a one again",
    "sbwe5n": "set blue with e five now",
    "id2_swwp2s": "set white with p two soon",
}
"""What is said in the GRID clips, 3 s each, by the code in their names (the media's MANIFEST.tsv)."""
CLIP_S = 3.0
READ = {
    "sb_LJ050-0131.wav": (
        "unless a system is established for the frequent formal review of activities thereunder "
        "in this regard"
    ),
    "sb_spk1_snt1.wav": "the child almost hurt the small dog",
    "sb_spk1_snt2.wav": "drop the tube when you add the figures",
    "whisper_jfk.flac": (
        "and so my fellow americans ask not what your country can do for you "
        "ask what you can do for your country"
    ),
}
"""What is read or spoken in these. The sample's own transcript writes "tue" for "tube"."""
