# make demo        fit Adult and Hospital, print the results, write pages to examples/output
# make test        every test: on the newest jax, then tests/adapt with neural-tangents and its old jax
# make lint        ruff and mypy
# make docs        the documentation, to build/docs, and every example in it
# make benchmark   the figures on Adult in docs/single_table.md
# make small       utility on four small tables, and the page docs/benchmark.md: minutes
# make utility     utility on all tables at all budgets: hours, and it can be resumed
# make constants   what the constants of the algorithm are worth: hours, and it can be resumed
# make audit       tries to break the guarantee, our own and those of broken variants: half an hour
# make disclosure  a membership attack and privacy scores, read from ../shared/data: half an hour
# make fuzz        2,000 odd tables, metadata and arguments: half an hour
# make questions   what the 3A paper leaves open, on generated tables: half an hour
# make cost        seconds and memory against rows, columns, values and epsilon: hours, and it can be resumed
# make relational  those on relational tables, read from ../shared/data: hours, and it can be resumed
#
# Each sets up what it needs in a virtual environment, once:  make test PYTHON=python3.12 VENV=env

PYTHON ?= python3
VENV ?= .venv
TANGENTS := $(VENV)-neural-tangents

# SDV needs torch, whose default builds carry several GB of CUDA; this one has a CPU build. Where
# it is not to be had, the line fails, nothing is lost, and SDV brings the torch of its choice.
TORCH := torch==2.13.0

.PHONY: demo test lint docs benchmark small utility constants audit disclosure fuzz questions \
	cost relational clean

demo: $(VENV)/.ready
	$(VENV)/bin/python examples/adult.py
	$(VENV)/bin/python examples/relational.py

test: $(VENV)/.ready $(TANGENTS)/.ready
	$(TANGENTS)/bin/python -m pytest -q -n auto tests/adapt
	$(VENV)/bin/python -m pytest -q -n auto

lint: $(VENV)/.ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

docs: $(VENV)/.ready
	$(VENV)/bin/sphinx-build -q -W --keep-going -b html docs build/docs
	$(VENV)/bin/sphinx-build -q -W --keep-going -b doctest docs build/doctest

benchmark: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/adult.py

small: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/utility.py --small
	$(VENV)/bin/python benchmarks/tabulate_utility.py

utility: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/utility.py --methods ours baselines
	$(VENV)/bin/python benchmarks/utility.py --methods ablations --epsilons 1 --repeats 3
	$(VENV)/bin/python benchmarks/utility.py --methods peers sdv --epsilons 1 8 inf --repeats 1
	$(VENV)/bin/python benchmarks/tabulate_utility.py

constants: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/constants.py

audit: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/audit.py
	$(VENV)/bin/python benchmarks/tabulate_audit.py

disclosure: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/disclosure.py

fuzz: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/fuzz.py

questions: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/questions.py
	$(VENV)/bin/python benchmarks/questions.py --draw

cost: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/noise.py
	$(VENV)/bin/python benchmarks/adapt_cost.py
	$(VENV)/bin/python benchmarks/sampling.py
	$(VENV)/bin/python benchmarks/cost.py
	$(VENV)/bin/python benchmarks/floor.py
	$(VENV)/bin/python benchmarks/stages_cost.py
	$(VENV)/bin/python benchmarks/out_of_core.py
	$(VENV)/bin/python benchmarks/tabulate_cost.py

relational: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/relational.py

clean:
	rm -rf $(VENV) $(TANGENTS)

$(VENV)/.ready: EXTRAS := dev
$(TANGENTS)/.ready: EXTRAS := test,neural-tangents

%/.ready: pyproject.toml
	$(PYTHON) -m venv $*
	-$*/bin/pip install --quiet $(TORCH)
	$*/bin/pip install --quiet --editable '.[$(EXTRAS)]'
	touch $@
