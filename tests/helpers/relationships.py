"""Foreign keys, as SDV's metadata spells them."""


def relate(child, foreign, parent, key):
    """Return the relationship by which a column of a child refers to the key of a parent."""
    return {
        'parent_table_name': parent,
        'child_table_name': child,
        'parent_primary_key': key,
        'child_foreign_key': foreign,
    }
