"""The command line: the same words as the window and HTTP, because it calls the same methods.

Each file holds the commands of one noun. Only ``honeyguide.__main__`` imports this room; it talks to the
workspace façade and to nothing below it.
"""
