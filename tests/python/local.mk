# The Python package.
script_tests += tests/python/test_plx.sh tests/python/test_wheel.sh
EXTRA_DIST += packaging/wheel/build-wheel packaging/wheel/old_glibc.py tests/python/test_plx.py tests/python/test_judge.py tests/python/native_torch.py tests/python/native_all.py python/pyproject.toml python/README.md \
	python/plx/__init__.py python/plx/_arrays.py python/plx/_library.py python/plx/_judge.py python/plx/_program.py \
	python/plx/testing.py python/plx/pytest_plugin.py
