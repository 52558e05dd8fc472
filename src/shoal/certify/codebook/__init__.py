"""The codebook of a release: `datapackage.json` for programs and `codebook.html` for people.

Both follow from the released table, its legend and its certificate alone, except for the kind of each
quasi-identifier and the levels of hierarchy nodes, which `datapackage.json` states. So the verifier writes both again
and compares every byte: nothing can be hidden in them, and they cannot say what the table and the certificate do not.
"""
