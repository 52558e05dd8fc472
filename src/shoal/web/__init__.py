"""`shoal serve`: the whole way from a table to a release, in a browser on this computer.

The server is light: it keeps what the user has decided and renders pages. One worker process, started with it, holds
the tables and calls `shoal.api`; it sends its progress through a pipe, and a run is cancelled by ending it. Nothing
is reachable from another computer or another page, and nothing is loaded from elsewhere. Raw copies stay in a private
folder, which is removed at the end.
"""
