"""The routes of the pages and of the API, a module for every topic."""
