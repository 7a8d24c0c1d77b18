"""Every classifier of the family keeps the same promises."""

from inspect import signature

import checks
import pytest
from sklearn.utils import get_tags

import separatrix as sx
from separatrix.estimators.learnt import learnt_by

PAIRS = [(check, member) for check in checks.CHECKS for member in checks.MEMBERS]


@pytest.mark.parametrize(
    ("check", "member"), [pytest.param(*pair, id=f"{pair[0].__name__}-{pair[1].name}") for pair in PAIRS]
)
def test_contract(check, member):
    reason = checks.reason_to_skip(check, member)
    if reason is not None:
        pytest.skip(reason)
    check(member)


@pytest.mark.parametrize("member", checks.MEMBERS, ids=lambda member: member.name)
def test_model_files(member, tmp_path):
    checks.model_files_are_whole(member, tmp_path)


def test_the_whole_family_is_checked():
    classifiers = {name for name in sx.__all__ if {"predict", "get_params"} <= set(dir(getattr(sx, name)))}
    divided = {"MixedPerceptron"}  # it learns from rows that are divided, and has tests of its own
    assert {type(member.make()).__name__ for member in checks.MEMBERS} == classifiers - divided


def test_no_check_is_idle():
    assert {check for check, member in PAIRS if checks.reason_to_skip(check, member) is None} == set(checks.CHECKS)


@pytest.mark.parametrize("member", checks.MEMBERS, ids=lambda member: member.name)
def test_the_table_of_the_family_says_what_is_so(member):
    promised, made = member.promised, member.make()
    assert type(made) is promised.load() is getattr(sx, promised.class_name)
    assert ("sample_weight" in signature(made.fit).parameters) == (promised.weights is not None)
    if promised.name != "bayes":  # it has as many classes as it has distributions
        assert get_tags(made).classifier_tags.multi_class == promised.multiclass
    assert set((promised.options or {}).values()) <= made.get_params().keys()
    assert promised.compared_with.keys() <= made.get_params().keys()
    fitted = member.fit(*member.rows())
    if not hasattr(fitted, "estimators_"):
        assert type(learnt_by(fitted)) is promised.load_learnt()
