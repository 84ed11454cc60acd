"""Rules from Python: of text and of code, checked against the oracle."""

import airloom
import pytest
from airloom import ir
from airloom.rules import Match

T = ir.rel({"a": ir.i64, "b": ir.f64})
HYPOT = ("hypot(neg(?x:float), ?y:float)", "hypot(?x, ?y)")


def test_a_rule_of_text() -> None:
    f = ir.function(x=ir.f64, y=ir.f64)(lambda x, y: ir.hypot(x, -y))
    assert airloom.optimize(f).same_as(f)
    airloom.rules.add("hypot-neg", *HYPOT, stage="simplify", doc="The sign does not survive `hypot`.")
    assert airloom.optimize(f).same_as(ir.function(x=ir.f64, y=ir.f64)(lambda x, y: ir.hypot(y, x)))
    assert "hypot-neg" in airloom.explain(f)
    assert airloom.rules.check("hypot-neg", cases=200) >= 200
    with airloom.options(without_rules=["hypot-neg"]):
        assert "hypot-neg" not in airloom.explain(f)
    airloom.rules.remove("hypot-neg")
    assert "hypot-neg" not in airloom.explain(f)


def test_a_wrong_rule_is_caught() -> None:
    airloom.rules.add("abs-is-nothing", "abs(?x:float)", "?x", stage="simplify", doc="A wrong rule.")
    with pytest.raises(airloom.RuleError, match="changes the meaning"):
        airloom.rules.check("abs-is-nothing")


def test_rules_are_listed_and_shown() -> None:
    airloom.rules.add("hypot-neg", *HYPOT, stage="simplify", doc="The sign does not survive `hypot`.")
    assert [r.name for r in airloom.rules.list(added=True)] == ["hypot-neg"]
    assert len(airloom.rules.list()) > 100
    assert {r.stage for r in airloom.rules.list()} <= set(airloom.rules.stages())
    shown = airloom.rules.show("hypot-neg")
    assert "simplify" in shown and "does not survive" in shown and "→ hypot(?x, ?y)" in shown
    with pytest.raises(airloom.RuleError, match="no rule `nothing`"):
        airloom.rules.show("nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "Not Kebab"}, "kebab-case"),
        ({"left": "?x"}, "would match everything"),
        ({"left": "nothing(?x)"}, "no op `nothing`"),
        ({"right": "?y"}, "not bound on the left"),
        ({"stage": "later"}, "no stage `later`; there are: normalize"),
        ({"doc": "no sentence"}, "begin with a sentence"),
    ],
)
def test_what_is_no_rule_is_refused(change: dict[str, str], message: str) -> None:
    rule = {"name": "some-rule", "left": "neg(neg(?x:int))", "right": "?x", "stage": "simplify", "doc": "It is one."} | change
    with pytest.raises(airloom.RuleError, match=message):
        airloom.rules.add(rule["name"], rule["left"], rule["right"], stage=rule["stage"], doc=rule["doc"])


def test_rules_of_the_house_stay() -> None:
    name = airloom.rules.list()[0].name
    with pytest.raises(airloom.RuleError, match="without_rules"):
        airloom.rules.remove(name)
    with pytest.raises(airloom.RuleError, match="already"):
        airloom.rules.add(name, "neg(neg(?x:int))", "?x", stage="simplify", doc="It is one.")


def test_a_rule_of_code() -> None:
    @airloom.rule("first-of-sort", stage="relational", left="rel.slice(rel.sort{by: ?by}(?t, ?keys, ..?c), 0, ?n:int!)")
    def first_of_sort(m: Match) -> ir.Node | None:
        """The first rows of a sort are its top."""
        if not m.n.is_constant or m.n.value < 0:
            return None
        return ir.top(m.t, m.n, m.keys, m.by, captures=m.c)

    f = ir.function(t=T)(lambda t: ir.slice(ir.sort(t, lambda r: {"b": r.b}, ["desc.last"]), 0, 3))
    with airloom.options(without_rules=[r.name for r in airloom.rules.list(stage="relational", added=False)]):
        g = airloom.optimize(f)
        assert g.same_as(ir.function(t=T)(lambda t: ir.top(t, 3, lambda r: {"b": r.b}, ["desc.last"]))), g.text()


def test_a_rule_of_code_is_checked() -> None:
    @airloom.rule("shift-of-double", stage="simplify", left="mul{overflow: wrap}(?x:int!, 2)")
    def shift_of_double(m: Match) -> ir.Node:
        """Twice a number is the number with its bits moved up."""
        return ir.shl(m.x, 1)

    assert airloom.rules.check("shift-of-double", cases=50) >= 50
    airloom.rules.remove("shift-of-double")

    @airloom.rule("wrong-double", stage="simplify", left="mul{overflow: wrap}(?x:int!, 2)")
    def wrong_double(m: Match) -> ir.Node:
        """Twice a number is not the number."""
        return m.x

    with pytest.raises(airloom.RuleError, match="wrong-double.*changes the meaning"):
        airloom.rules.check("wrong-double")


def test_a_rule_over_relations_is_checked_on_random_programs() -> None:
    @airloom.rule("filter-twice", stage="relational", left="rel.filter(rel.filter(?t, ?p, ..?c), ?q, ..?d)")
    def filter_twice(m: Match) -> ir.Node:
        """Two filters are one."""
        return ir.filter(m.t, lambda r: ir.is_true(ir.inline(m.p, r, *m.c)) & ir.is_true(ir.inline(m.q, r, *m.d)))

    # What the second filter raises it raised only for rows that the first one kept.
    try:
        assert airloom.rules.check("filter-twice", cases=20) > 0
    except airloom.RuleError as error:
        assert "raises" in str(error)


def test_what_a_rule_raises_names_the_rule() -> None:
    @airloom.rule("broken-rule", stage="simplify", left="neg(?x:int)")
    def broken_rule(m: Match) -> ir.Node:
        """It does not work."""
        return m.y

    f = ir.function(x=ir.i64)(lambda x: -x)
    with pytest.raises(airloom.RuleError, match=r"rule `broken-rule` raised .*no variable `\?y`.*there are: `\?x`") as caught:
        airloom.run(f, 1)
    assert isinstance(caught.value.__cause__, AttributeError)
    with pytest.raises(airloom.RuleError, match="broken-rule"):
        airloom.rules.check("broken-rule")
    airloom.rules.remove("broken-rule")
    assert airloom.run(f, 1) == -1


def test_a_rule_that_changes_the_type_is_named() -> None:
    @airloom.rule("other-type", stage="simplify", left="neg(?x:int)")
    def other_type(m: Match) -> ir.Node:
        """It changes the type."""
        return ir.const("text")

    with pytest.raises(airloom.RuleError, match="`other-type` changed the type"):
        airloom.run(ir.function(x=ir.i64)(lambda x: -x), 1)


def test_a_rule_that_does_not_end_is_ended() -> None:
    @airloom.rule("round-and-round", stage="simplify", left="add(?x:int, ?y:int)")
    def round_and_round(m: Match) -> ir.Node:
        """It turns the sides."""
        return ir.add(m.y, m.x)

    f = ir.function(x=ir.i64, y=ir.i64)(lambda x, y: x + y)
    with airloom.options(fuel=1000):
        assert airloom.run(f, 1, 2) == 3
    with airloom.options(checks=True), pytest.raises(airloom.RuleError, match="`round-and-round` does not make progress"):
        airloom.run(f, 1, 2)


def test_nothing_of_a_match_is_kept() -> None:
    kept: list[ir.Node] = []

    @airloom.rule("keeper", stage="simplify", left="neg(?x:int)")
    def keeper(m: Match) -> None:
        """It keeps what it was given."""
        kept.append(m.x)

    airloom.run(ir.function(x=ir.i64)(lambda x: -x), 1)
    with pytest.raises(airloom.ProgramError, match="has ended"):
        kept[0].op
