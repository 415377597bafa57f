"""Deploying a harness: a clean archive, an HTTP service, tools for other agents. The source folder is never written."""
