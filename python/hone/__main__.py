"""`python -m hone`, and the command `hone` of an environment: replaces this process by the program."""

import os
import sys

from hone import Error
from hone._parts import environment, program_path


def main() -> None:
    try:
        path = program_path()
        os.execve(path, [path, *sys.argv[1:]], environment())
    except Error as error:
        sys.stderr.write(f"hone: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
