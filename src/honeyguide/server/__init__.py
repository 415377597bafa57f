"""The HTTP API with live events, and the MCP server. Both talk to the ``Workspace`` and nothing else of ours.

Only ``__main__`` imports this room. ``serving.serve`` runs the HTTP API, ``mcp_serving.serve_mcp`` the MCP server.
"""
