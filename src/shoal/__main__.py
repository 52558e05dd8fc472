"""`python -m shoal`: the command line where its script is not on the path."""

from shoal.cli.main import main

main()
