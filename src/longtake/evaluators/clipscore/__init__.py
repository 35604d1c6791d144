"""CLIPScore of a long film in SLVMEval's two readings of a long prompt."""
