"""How Sphinx builds the documentation; ``make docs`` runs it, with warnings as errors."""

from importlib.metadata import version as find_version
from typing import Any

project = 'sdv-threea'
author = 'the sdv-threea developers'
version = release = find_version('sdv-threea')

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.doctest',
    'sphinx.ext.napoleon',
    'sphinx_click',
    'sphinx_copybutton',
]

# What is copied is what is typed: no prompts, and no output.
copybutton_prompt_text = r'>>> |\.\.\. |\$ '
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = '\\'

myst_heading_anchors = 3
myst_enable_extensions = ['deflist']

autodoc_member_order = 'bysource'
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ['Formal guarantees']

html_theme = 'furo'
html_title = 'sdv-threea'
html_theme_options = {
    'light_css_variables': {'color-brand-primary': '#0b7285', 'color-brand-content': '#0b7285'},
    'dark_css_variables': {'color-brand-primary': '#66c5d6', 'color-brand-content': '#66c5d6'},
}

# Examples write files, and leave the working tree as it was.
doctest_global_setup = """
import os, tempfile, warnings
os.chdir(tempfile.mkdtemp())
warnings.simplefilter('ignore')
"""


def setup(app: Any) -> None:
    """Leave out the examples of the program's help, which the page has already."""
    app.connect('sphinx-click-process-epilog', lambda app, context, lines: lines.clear())
