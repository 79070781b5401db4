"""The plan of the house for money: one door, receipts that are kept, plans that decide."""

import ast
import re

from house import FILES, PACKAGE, identify, list_nodes, name_place, name_room, unparse

#: What others may import of the mechanism: the type of noise, and its source, to pass it on.
PASSED_ON = {'Noise', 'discrete_gaussian'}

#: A draw of noise, by the names that its source has.
CALLS_OF_NOISE = {'discrete_gaussian', 'noise', 'self._noise', 'self.noise', 'task.noise'}

#: The door, and the audit, which puts doors that it watches in the place of the mechanism.
AT_THE_MECHANISM = {'privacy/door.py', 'privacy/mechanism.py', 'audit/doors.py'}


def test_only_the_door_calls_the_mechanism():
    for path in (path for path in FILES if identify(path) not in AT_THE_MECHANISM):
        for node in list_nodes(path):
            at = f'{path}:{getattr(node, "lineno", 0)}'
            if isinstance(node, ast.ImportFrom):
                names, module = {alias.name for alias in node.names}, node.module
                assert module != 'sdv_threea.privacy.mechanism' or names <= PASSED_ON, at
                assert module != 'sdv_threea.privacy' or not names & {'mechanism', 'discrete'}, at
                assert module != 'sdv_threea.privacy.discrete', at
            elif isinstance(node, ast.Import):
                assert not any(one.name.startswith('sdv_threea.privacy') for one in node.names), at
            elif isinstance(node, ast.Call):
                assert unparse(node.func) not in CALLS_OF_NOISE, at


#: Calls by which receipts reach a ledger, or a list that is returned.
KEEPING = {'keep', 'append', 'add', 'charge'}


def hands_receipts(function):
    return 'Receipt' in ast.unparse(function.returns) if function.returns else False


def list_functions(path):
    return [node for node in list_nodes(path) if isinstance(node, ast.FunctionDef)]


def list_handing(path):
    """The names that a file knows for functions that return receipts, and such methods of any."""
    module = '.'.join(('sdv_threea', *path.relative_to(PACKAGE).with_suffix('').parts))
    names = {name for home, name in HANDING if home == module}
    for node in list_nodes(path):
        if isinstance(node, ast.ImportFrom):
            known = (each for each in node.names if (node.module, each.name) in HANDING)
            names |= {each.asname or each.name for each in known}
    return names


#: The functions and methods that return receipts, by module: the door, and all that call it.
HANDING = {
    ('.'.join(('sdv_threea', *path.relative_to(PACKAGE).with_suffix('').parts)), function.name)
    for path in FILES
    if name_room(path) != 'audit'
    for function in list_functions(path)
    if hands_receipts(function)
}


def name_called(node):
    return getattr(node.func, 'id', getattr(node.func, 'attr', ''))


def is_receipt_kept(function, call):
    """Whether a call's receipt is kept or returned at once, or under a name further down."""
    returns = hands_receipts(function)
    nodes = sorted(ast.walk(function), key=lambda node: getattr(node, 'lineno', 0))

    def keeps(node):
        called = isinstance(node, ast.Call) and name_called(node) in KEEPING
        return called or (returns and isinstance(node, ast.Return))

    around = [node for node in nodes if keeps(node)]
    if any(call in ast.walk(node) for node in around):
        return True
    named = {
        ast.unparse(target.elts[-1] if isinstance(target, ast.Tuple) else target)
        for node in nodes
        if isinstance(node, ast.Assign) and call in ast.walk(node.value)
        for target in node.targets
    }
    for node in nodes:  # a name in a longer tuple, in the order of the lines
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            parts = {ast.unparse(each).lstrip('*') for each in node.value.elts}
            named |= set(map(ast.unparse, node.targets)) if parts & named else set()
    # A field of a receipt, such as its noise scale, is not the receipt.
    fields = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    used = (each for node in around for each in ast.walk(node) if isinstance(each, ast.Name))
    return bool(named & {each.id for each in used if each not in fields})


def test_every_caller_of_the_door_keeps_the_receipt_or_returns_it():
    """A function that returns receipts is a door to its own callers, up to the account of a fit."""
    for path in (path for path in FILES if name_room(path) != 'audit'):
        handing = list_handing(path)
        for function in list_functions(path):
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                own = call.func.id if isinstance(call.func, ast.Name) else ''
                if own in handing or name_called(call) == 'add_noise':
                    assert is_receipt_kept(function, call), f'{path}: {function.name} drops one'


#: Formulas of what noise allows: which classes, pairs and triples, in which bins, at which price.
FORMULAS = {
    *('make_classes', 'settle_guess', 'plan_class_counts', 'carries_number', 'suits_number'),
    *('plan_pairs', 'add_evident', 'num_pair_bins', 'num_triple_bins', 'needs_no_look'),
    *('choose_triples', 'carry_functions', 'sum_needs', 'price_sums', 'price_values'),
}

#: The plan of a table, and that of a database.
PLANS = {'planning', 'relational/allotment.py', 'relational/assortativity.py'}

#: Prices of the account, which plans alone look at; the algorithm of the paper has no plan.
PRICES = re.compile(r'\b(spending|run|budget)\.(price|left|divide|split)')


def test_only_plans_decide_what_is_paid_and_what_is_left_out():
    """A stage makes the releases that are planned, at the planned price."""
    for path in FILES:
        room = name_room(path)
        if {room, identify(path)} & {*PLANS, 'privacy', 'paper'}:
            continue
        for node in list_nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module.startswith('sdv_threea.'):
                names = {alias.name for alias in node.names} & FORMULAS
                away = name_place(node.module.split('.')[1:]) != room
                assert not (names and away), f'{path}: {names}'
            elif isinstance(node, ast.Call):
                assert not PRICES.search(unparse(node.func)), f'{path}: {unparse(node)}'
