"""Parts of the Windows installer that the spec imports."""
