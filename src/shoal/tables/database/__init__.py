"""Tables in databases: PostgreSQL, DuckDB and SQLite, read without a chance to write, and written in one transaction.

`source` says where a table is, `reading` reads it, `writing` writes a release. Every engine has one module with a
`Reading` and a `Writing`; `failures` rewrites what their drivers say.
"""
