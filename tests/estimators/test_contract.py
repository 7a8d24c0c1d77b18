"""Every classifier of the family keeps the same promises."""

import checks
import pytest

import separatrix as sx

PAIRS = [(check, member) for check in checks.CHECKS for member in checks.MEMBERS if not checks.applies(check, member)]


@pytest.mark.parametrize(
    ("check", "member"), [pytest.param(*pair, id=f"{pair[0].__name__}-{pair[1].name}") for pair in PAIRS]
)
def test_contract(check, member):
    check(member)


@pytest.mark.parametrize("member", checks.MEMBERS, ids=lambda member: member.name)
def test_model_files(member, tmp_path):
    checks.model_files_are_whole(member, tmp_path)


def test_the_whole_family_is_checked():
    classifiers = {name for name in sx.__all__ if hasattr(getattr(sx, name), "predict")}
    assert {type(member.make()).__name__ for member in checks.MEMBERS} == classifiers


def test_no_check_is_idle():
    assert {check for check, _ in PAIRS} == set(checks.CHECKS)
