# make help        this list
# make demo        fit Adult and Hospital, print the results, write pages to examples/output
# make test        every test: on the newest jax; those of neural-tangents, anonymeter and mlcroissant
#                  in an environment with their old libraries
# make lint        ruff and mypy
# make docs        the documentation, to build/docs (pages), and every example in it (examples)
# make package     the wheel and the source distribution, to dist, checked
# make fuzz        1,600 odd tables, metadata and arguments: twenty minutes
# make bars        bars of quality on real tables, by chance: ten minutes
#
# Benchmarks: each resumes where it was stopped, and then writes its page; benchmarks/README.md says more.
#
# make small       utility on four small tables at two budgets: minutes
# make utility     utility on all tables at all budgets: hours
# make labels      what columns say together, beside training directly: half an hour
# make constants   what the constants of the algorithm are worth: hours
# make audit       tries to break the guarantee, our own and those of broken variants: an hour
# make disclosure  a membership attack and privacy scores: half an hour
# make cost        seconds and memory against rows, columns, values and epsilon: hours
# make relational  several tables at once, beside HMA: hours
#
# Each sets up what it needs in a virtual environment, once:  make test PYTHON=python3.12 VENV=env

PYTHON ?= python3
VENV ?= .venv
TANGENTS := $(VENV)-neural-tangents

# SDV needs torch, whose default builds carry several GB of CUDA; this one has a CPU build. Where
# it is not to be had, the line fails, nothing is lost, and SDV brings the torch of its choice.
TORCH := torch==2.13.0

# A process of tests per core: more threads would stand in each other's way. A file stays in one
# process, so that what its tests share is fitted once.
TESTED := OMP_NUM_THREADS=1
APART := -n auto --dist loadfile

.PHONY: help first second demo test lint docs pages examples package benchmark small utility labels \
	constants audit disclosure fuzz bars cost relational clean

help:
	@sed -n "/^#/!q; s/^# \{0,1\}//p" Makefile

demo: $(VENV)/.ready
	$(VENV)/bin/python examples/adult.py
	$(VENV)/bin/python examples/relational.py

test: $(VENV)/.ready $(TANGENTS)/.ready
	$(TESTED) $(TANGENTS)/bin/python -m pytest -q $(APART) tests/adapt/test_ntk.py \
		tests/adapt/test_kernels.py tests/adapt/test_labels.py \
		tests/datasheet/test_datasheet.py::test_mlcroissant_reads_it tests/report/test_risk.py
	$(TESTED) $(VENV)/bin/python -m pytest -q $(APART)

lint: $(VENV)/.ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

first: $(VENV)/.ready

second: $(TANGENTS)/.ready

docs: pages examples

pages: $(VENV)/.ready
	$(VENV)/bin/sphinx-build -q -W --keep-going -b html docs build/docs

examples: $(VENV)/.ready
	$(TESTED) $(VENV)/bin/sphinx-build -q -W --keep-going -b doctest docs build/doctest

package: $(VENV)/.ready
	rm -rf dist
	$(VENV)/bin/python -m build --no-isolation --outdir dist .
	$(VENV)/bin/twine check --strict dist/*

fuzz: $(VENV)/.ready
	FUZZ_TIMES=8 FUZZ_SEED=0 $(VENV)/bin/python -m pytest -q $(APART) tests/fuzz

bars: $(VENV)/.ready
	PYTHONPATH=benchmarks $(TESTED) $(VENV)/bin/python -m pytest -q $(APART) benchmarks/bars.py

small: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/utility.py --methods ours baselines --epsilons 1 8 --repeats 2 \
		--tables compas telco_churn german_credit bike_sharing

utility: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/utility.py --methods ours baselines
	$(VENV)/bin/python benchmarks/utility.py --methods ablations --epsilons 1 --repeats 3
	$(VENV)/bin/python benchmarks/utility.py --methods peers sdv --epsilons 1 8 inf --repeats 1

audit: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/audit.py

cost: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/noise.py
	$(VENV)/bin/python benchmarks/out_of_core.py
	$(VENV)/bin/python benchmarks/cost.py

constants disclosure labels relational: $(VENV)/.ready
	$(VENV)/bin/python benchmarks/$@.py

clean:
	rm -rf $(VENV) $(TANGENTS)

$(VENV)/.ready: EXTRAS := dev
$(TANGENTS)/.ready: EXTRAS := tested,parquet,neural-tangents,risk,croissant

# What is compiled to bytecode is what is imported, when it is.
%/.ready: pyproject.toml
	$(PYTHON) -m venv $*
	-$*/bin/pip install --quiet --no-compile $(TORCH)
	$*/bin/pip install --quiet --no-compile --editable '.[$(EXTRAS)]'
	touch $@
