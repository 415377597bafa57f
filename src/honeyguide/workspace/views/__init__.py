"""What the workspace hands out: frozen plain data, each with its public JSON. Front ends import them from
``honeyguide.workspace``."""
