"""The plan of the house, and its files, parsed once for all tests of the plan."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / 'sdv_threea'

FILES = sorted(PACKAGE.rglob('*.py'))

#: From the roof to the ground. Rooms on one floor never import each other.
FLOORS = (
    {'cli', 'transformers'},
    {'synthesizers'},
    {'conditions'},
    {'transforms'},
    {'constraints', 'metadata', 'report'},
    {'guesses', 'storage'},
    {'relational', 'estimate'},
    {'pipeline'},
    {'approximate/column_stage', 'adapt/target_stage', 'joint/counting', 'paper'},
    {'planning', 'release'},
    {'settings', 'sampling'},
    {'datasheet', 'audit', 'adapt', 'losses'},
    {'joint'},
    {'approximate'},
    {'encoding'},
    {'describe'},
    {'statistics'},
    {'domain', 'privacy', 'pages'},
    {'cost', 'maths', 'rows', 'warning'},
    {'accounting', 'arrays', 'atomic', 'constants', 'errors', 'names', 'schema'},
)

#: Rooms outside the house proper: the front door, which leads upstairs, and the data beside it.
OUTSIDE = {'__init__', 'datasets'}


@cache
def parse(path):
    return ast.parse(path.read_text('utf-8'))


@cache
def list_nodes(path):
    return list(ast.walk(parse(path)))


unparse = cache(ast.unparse)


def identify(path):
    return str(path.relative_to(PACKAGE))


def name_room(path):
    return name_place(path.relative_to(PACKAGE).with_suffix('').parts)


def name_place(parts):
    """Name a room; the stage of a room, which runs its parts, is a place of its own."""
    place = '/'.join(parts[:2])
    return place if any(place in rooms for rooms in FLOORS) else parts[0]
