"""Descriptions of a release for catalogs and archives: Croissant, DCAT-AP, HealthDCAT-AP and DDI.

Each is derived from the data package of the release and from what the public policy states, and from nothing else: so
it cannot reveal more than these, and the verifier writes it again and compares.
"""
