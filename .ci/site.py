"""Hooks of the site: README is its first page, and links that leave docs/ lead to the repository."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)(?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?=\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the first page."""
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """The text of a page with links that hold on the site."""
    docs = Path(config.docs_dir).resolve()
    is_first = page.file.src_uri == "index.md"
    folder = ROOT if is_first else (docs / page.file.src_uri).parent

    def changed(found: re.Match[str]) -> str:
        target = (folder / found["path"]).resolve()
        anchor = found["anchor"] or ""
        if not target.is_relative_to(docs):
            return f"{config.repo_url}/blob/main/{target.relative_to(ROOT)}{anchor}"
        return f"{target.relative_to(docs)}{anchor}" if is_first else found[0]

    return _LINK.sub(changed, markdown)
