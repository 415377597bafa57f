"""The pages of the window, one a file. They ask the workspace and own widgets; only ``window`` opens them."""
