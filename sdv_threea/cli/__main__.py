"""``python -m sdv_threea.cli``: the command line without its script on the path."""

from sdv_threea.cli.commands import main

if __name__ == '__main__':
    main(prog_name='sdv-threea')
