# Every command makes the environment first when it is missing or out of date.
PYTHON ?= python3
RUN := .venv/bin/python
JOBS ?= auto

.PHONY: help environment demo test test-all start lab kit doctor release build check-build lint matrix colab bench speed ledger results redteam-gpu
help:                     ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*##/\t/' | expand -t 16

environment:
	@$(PYTHON) tools/make_environment.py

demo: environment         ## build, release, and autograde a class of every lesson, in a folder of its own
	@$(RUN) -m learning.grading.demo

test: environment         ## the tests that fit in ten minutes on two cores
	@$(RUN) -m pytest -n $(JOBS) -m "not slow and not gpu"

test-all: environment     ## every test this machine can run
	@$(RUN) -m pytest -n $(JOBS)

start: environment        ## lay out work/ for every lesson, never overwriting
	@$(RUN) -m learning.workshops.start

lab: start                ## open JupyterLab
	@$(RUN) -m jupyter lab

build: environment        ## lesson folders -> source/
	@$(RUN) -m learning.build

release: environment      ## regenerate and audit every release
	@$(RUN) -m learning.build --release

kit: environment         ## the student kit in dist/: a wheel without answers, and a zip of releases and companions
	@$(RUN) -m learning.build --kit

doctor: environment      ## what this machine can do, and the remedy for each thing it lacks
	@$(RUN) -m learning.doctor

lint: environment         ## ruff, and no drift between lesson folders, sources and releases
	@$(RUN) -m ruff check --no-cache .
	@$(RUN) -m ruff format --no-cache --check .
	@$(RUN) -m learning.build --check

matrix: environment       ## the lessons under Triton 3.6 (two NumPys), 3.8 and 3.9
	@$(RUN) tools/matrix.py

colab: environment        ## every release (answers typed in) and companion on a stand-in for a Colab runtime
	@$(RUN) tools/colab.py

speed: environment        ## on a GPU: the speed table, the timing protocol, the lessons' cells; then the page of results
	-@$(RUN) benchmarks/speed_rows.py
	-@$(RUN) benchmarks/timing_protocol.py
	-@$(RUN) benchmarks/notebook_cells.py
	@$(RUN) -m learning.bench.results

ledger: environment       ## run the gotchas ledger under every Triton and NumPy; rewrites its table and its pages
	@$(RUN) tools/ledger_table.py

results: environment      ## docs/reference-results.md out of the records in benchmarks/results/
	@$(RUN) -m learning.bench.results

bench: environment        ## measure the grader's throughput; rewrites the record in benchmarks/
	@$(RUN) benchmarks/grading_throughput.py

redteam-gpu: environment  ## the red team's GPU classes on this machine; rewrites the record in benchmarks/
	@$(RUN) benchmarks/redteam_gpu.py
