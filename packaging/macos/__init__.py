"""Parts of the macOS app that the spec imports."""
