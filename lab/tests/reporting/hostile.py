"""Names that must not be trusted."""

from dataclasses import replace

from bakeoff.judging.judgement import Judgement
from bakeoff.results.findings import JudgedFinding, KindName
from bakeoff.storage.stored_runs import StoredComparison
from judgements import comparison, with_first

SCRIPT = "</script><script>window.hacked=1</script>"
IMAGE = "<img src=x onerror=\"window.hacked=1\"><svg onload='window.hacked=1'>"
LONG = "a-name-without-any-end-" * 40


def hostile_comparison() -> tuple[Judgement, StoredComparison]:
    """Every text that comes from outside holds markup, quotes, templates or what steers a terminal."""
    judgement, stored = comparison()
    finding = JudgedFinding(KindName("kind" + SCRIPT), "warning", IMAGE, "{{ 7 * 7 }}", [1])
    judgement = with_first(
        judgement,
        label=SCRIPT + IMAGE,
        target=IMAGE,
        findings=[finding],
        settings={SCRIPT: IMAGE},
        environment={IMAGE: SCRIPT, "memory_mib": "plenty"},
    )
    second = replace(judgement.contenders[1], label="=1+1|`*_ \x1b[31m\x00\u2028&amp;" + LONG)
    return (
        replace(
            judgement,
            contenders=[judgement.contenders[0], second, *judgement.contenders[2:]],
            verdict=f"{SCRIPT} wins",
            command=f"./bakeoff run '{SCRIPT}'",
            provenance={SCRIPT: IMAGE},
            not_measured={IMAGE: SCRIPT},
        ),
        stored,
    )
