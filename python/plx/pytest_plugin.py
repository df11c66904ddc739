"""For pytest: --plx-save-failure, and cases of challenges as parameters.

    @pytest.mark.plx_cases("gemm", dtype="f32")
    def test_product(plx_case):
        plx_case.check(mine)        # mine(*operands, **settings), judged
"""

import shutil
import tempfile

import pytest

from . import _judge, testing

_folders = []


def pytest_addoption(parser):
    parser.getgroup("plx").addoption("--plx-save-failure", metavar="DIR", default=None,
                                     help="keep the operands of what plx.testing finds wrong, for `parallax judge DIR`")


def pytest_configure(config):
    config.addinivalue_line("markers", "plx_cases(op, dtype='f32', **settings): runs the test with each case of a challenge "
                                       "that its function can be asked for, as the fixture plx_case")
    if config.getoption("--plx-save-failure"):
        testing.save_failures = config.getoption("--plx-save-failure")


def pytest_unconfigure(config):
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def pytest_report_header(config):
    from . import _program
    try:
        return "plx: " + _program.run(["--version"], (0,))[1].strip().splitlines()[0]
    except Exception as why:  # a test may need none of it
        return "plx: %s" % why


class PlxCase(_judge.Case):
    """A case that judges what is made of it."""

    def check(self, function, like=None, **promise):
        __tracebackhide__ = True
        if not _judge._takes(function, self.settings):
            pytest.skip("the function takes no %s" % ", ".join(sorted(self.settings)))
        operands = self.operands
        result = function(*[operand if like is None else like(operand) for operand in operands], **self.settings)
        testing._assert(self.about["op"], operands, result, dict(self.settings, **promise))


def pytest_generate_tests(metafunc):
    if "plx_case" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("plx_cases")
    if mark is None:
        raise pytest.UsageError("%s takes plx_case, and has no mark plx_cases(op)" % metafunc.definition.name)
    _folders.append(tempfile.mkdtemp(prefix="plx-"))
    found = _judge.cases(mark.args[0], _folders[-1], *mark.args[1:], **mark.kwargs)
    metafunc.parametrize("plx_case", [PlxCase(_folders[-1], case.about) for case in found], ids=[case.name for case in found])
