"""Tables cut into blocks of many times k records, which are searched one by one; docs/proofs/blocks.md."""
