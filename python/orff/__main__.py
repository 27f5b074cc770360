"""``python -m orff`` is the command ``orff``."""

import sys

from . import _orff


def main() -> int:
    """Run the command with the arguments of this process."""
    return _orff.main(["orff", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
