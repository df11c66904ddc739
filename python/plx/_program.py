"""The program `parallax`, which judges and measures: found beside the library, and run for what Python asks."""

import json
import os
import shutil
import subprocess

from ._library import Error


def program(path=True):
    """Named in $PLX_PROGRAM, in the package (plx/bin), beside the library that $PLX_LIBRARY names, or in $PATH."""
    named = os.environ.get("PLX_PROGRAM")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(here, "bin", "parallax")
    found = inside if os.path.exists(inside) else shutil.which("parallax") if path else None
    if found is None:
        raise FileNotFoundError("the program parallax was not found; install it, or name it in $PLX_PROGRAM")
    return found


def options(given):
    """lda=300 as --lda 300, True as an option without a word, False and None as nothing, a list as one option for each."""
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is None or one is False:
                continue
            words += [option] if one is True else [option, str(one)]
    return words


def run(words, well=(0, 1)):
    """(status, standard output); any other status is what the program says of it."""
    done = subprocess.run([program()] + [str(word) for word in words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode in well:
        return done.returncode, done.stdout
    said = (done.stderr.strip() or done.stdout.strip() or "it ended with status %d" % done.returncode)
    if done.returncode == 2:
        raise ValueError(said)
    raise Error(done.returncode, said)


def read(words, well=(0, 1)):
    """What it writes as JSON."""
    text = run(list(words) + ["--json", "-"], well)[1]
    try:
        return json.loads(text)
    except ValueError:
        raise Error(-1, "%s wrote no JSON: %.200s" % (program(), text)) from None


def main():
    """The command `parallax` of the wheel."""
    import sys
    # this script is the `parallax` of $PATH
    os.execv(program(path=False), ["parallax"] + sys.argv[1:])
