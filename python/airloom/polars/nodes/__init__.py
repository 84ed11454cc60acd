"""Relations of the nodes of Polars' plans. A family of nodes is a module; importing it registers what it makes."""

from airloom.polars.nodes import groups, joins, order, reshaping, select, sources
from airloom.polars.nodes.registry import MAKERS, Building, SeveralRefused, relation_of

#: The modules that register makers.
FAMILIES = (groups, joins, order, reshaping, select, sources)

__all__ = ["FAMILIES", "MAKERS", "Building", "SeveralRefused", "relation_of"]
