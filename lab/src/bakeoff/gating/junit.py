"""A gate as JUnit XML, which every pipeline can show."""

from xml.etree import ElementTree as Xml

from bakeoff.gating.check import Gate, Outcome


def junit_of(gate: Gate) -> str:
    """One test case for each check; what is unclear or left out is skipped, with its reason."""
    checks = gate.checks
    suite = Xml.Element(
        "testsuite",
        name="bakeoff gate",
        tests=str(len(checks) + len(gate.left_out)),
        failures=str(len(gate.failed)),
        errors="0",
        skipped=str(sum(check.outcome is Outcome.UNCLEAR for check in checks) + len(gate.left_out)),
    )
    for check in checks:
        case = Xml.SubElement(suite, "testcase", classname=check.series.label, name=check.metric)
        if check.outcome is Outcome.FAILED:
            Xml.SubElement(case, "failure", message=check.words).text = check.words
        elif check.outcome is Outcome.UNCLEAR:
            Xml.SubElement(case, "skipped", message=check.words)
        else:
            Xml.SubElement(case, "system-out").text = check.words
    for reason in gate.left_out:
        case = Xml.SubElement(suite, "testcase", classname="left out", name=reason)
        Xml.SubElement(case, "skipped", message=reason)
    root = Xml.Element("testsuites")
    root.append(suite)
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
