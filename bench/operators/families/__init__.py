"""Generated cases, by family: each module's cases() yields names, and functions that write the case into a Net."""
