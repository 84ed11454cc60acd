"""The 22 queries of TPC-H as their SQL reads: all tables are joined, then rows are chosen, then summed up.

So a pandas user writes who takes a query over from a database, or who explores: one wide table first, then questions to it. `tpch.py` has the same questions by users
who know what a join of everything costs them, and choose rows first. `pd` and `t` are as there.
"""

from tpch import q01, q04, q06, q11, q13, q15, q16, q18, q19, q22  # noqa: F401

__all__ = [f"q{number:02}" for number in range(1, 23)]


def q02(pd, t):
    """The cheapest suppliers."""
    offers = (
        t["part"].merge(t["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .merge(t["supplier"], left_on="ps_suppkey", right_on="s_suppkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .merge(t["region"], left_on="n_regionkey", right_on="r_regionkey")
    )
    offers = offers[(offers["p_size"] == 15) & offers["p_type"].str.endswith("BRASS") & (offers["r_name"] == "EUROPE")]
    least = offers.groupby("p_partkey")["ps_supplycost"].transform("min")
    best = offers[offers["ps_supplycost"] == least]
    best = best[["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]]
    return best.sort_values(["s_acctbal", "n_name", "s_name", "p_partkey"], ascending=[False, True, True, True]).head(100)


def q03(pd, t):
    """Orders of great revenue that are not yet shipped."""
    joined = (
        t["customer"].merge(t["orders"], left_on="c_custkey", right_on="o_custkey")
        .merge(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
    )
    day = pd.Timestamp("1995-03-15")
    joined = joined[(joined["c_mktsegment"] == "BUILDING") & (joined["o_orderdate"] < day) & (joined["l_shipdate"] > day)]
    joined = joined.assign(revenue=joined["l_extendedprice"] * (1 - joined["l_discount"]))
    result = joined.groupby(["l_orderkey", "o_orderdate", "o_shippriority"], as_index=False)["revenue"].sum()
    result = result.sort_values(["revenue", "o_orderdate", "l_orderkey"], ascending=[False, True, True]).head(10)
    return result[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]]


def q05(pd, t):
    """Revenue within the nations of Asia."""
    joined = (
        t["region"].merge(t["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .merge(t["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .merge(t["orders"], left_on="c_custkey", right_on="o_custkey")
        .merge(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .merge(t["supplier"], left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    )
    joined = joined[
        (joined["r_name"] == "ASIA")
        & (joined["o_orderdate"] >= pd.Timestamp("1994-01-01"))
        & (joined["o_orderdate"] < pd.Timestamp("1995-01-01"))
    ]
    joined = joined.assign(revenue=joined["l_extendedprice"] * (1 - joined["l_discount"]))
    return joined.groupby("n_name", as_index=False)["revenue"].sum().sort_values("revenue", ascending=False)


def q07(pd, t):
    """Trade between two nations, by year."""
    joined = (
        t["supplier"].merge(t["lineitem"], left_on="s_suppkey", right_on="l_suppkey")
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["customer"], left_on="o_custkey", right_on="c_custkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .merge(t["nation"], left_on="c_nationkey", right_on="n_nationkey", suffixes=("_supplier", "_customer"))
    )
    supplier, customer = joined["n_name_supplier"], joined["n_name_customer"]
    trade = joined[
        (((supplier == "FRANCE") & (customer == "GERMANY")) | ((supplier == "GERMANY") & (customer == "FRANCE")))
        & joined["l_shipdate"].between(pd.Timestamp("1995-01-01"), pd.Timestamp("1996-12-31"))
    ]
    trade = trade.assign(l_year=trade["l_shipdate"].dt.year, volume=trade["l_extendedprice"] * (1 - trade["l_discount"]))
    trade = trade.rename(columns={"n_name_supplier": "supp_nation", "n_name_customer": "cust_nation"})
    keys = ["supp_nation", "cust_nation", "l_year"]
    return trade.groupby(keys, as_index=False).agg(revenue=("volume", "sum")).sort_values(keys)


def q08(pd, t):
    """The share of a nation in a market."""
    joined = (
        t["part"].merge(t["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .merge(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["customer"], left_on="o_custkey", right_on="c_custkey")
        .merge(t["nation"], left_on="c_nationkey", right_on="n_nationkey")
        .merge(t["region"], left_on="n_regionkey", right_on="r_regionkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey", suffixes=("_customer", "_supplier"))
    )
    joined = joined[
        (joined["r_name"] == "AMERICA")
        & joined["o_orderdate"].between(pd.Timestamp("1995-01-01"), pd.Timestamp("1996-12-31"))
        & (joined["p_type"] == "ECONOMY ANODIZED STEEL")
    ]
    volume = joined["l_extendedprice"] * (1 - joined["l_discount"])
    joined = joined.assign(
        o_year=joined["o_orderdate"].dt.year,
        volume=volume,
        brazil=volume.where(joined["n_name_supplier"] == "BRAZIL", 0.0),
    )
    sums = joined.groupby("o_year", as_index=False)[["brazil", "volume"]].sum()
    sums["mkt_share"] = sums["brazil"] / sums["volume"]
    return sums[["o_year", "mkt_share"]].sort_values("o_year")


def q09(pd, t):
    """Profit by nation and year."""
    joined = (
        t["part"].merge(t["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .merge(t["supplier"], left_on="ps_suppkey", right_on="s_suppkey")
        .merge(t["lineitem"], left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
    )
    joined = joined[joined["p_name"].str.contains("green", regex=False)]
    joined = joined.assign(
        o_year=joined["o_orderdate"].dt.year,
        amount=joined["l_extendedprice"] * (1 - joined["l_discount"]) - joined["ps_supplycost"] * joined["l_quantity"],
    )
    profit = joined.groupby(["n_name", "o_year"], as_index=False)["amount"].sum()
    profit = profit.rename(columns={"n_name": "nation", "amount": "sum_profit"})
    return profit.sort_values(["nation", "o_year"], ascending=[True, False])


def q10(pd, t):
    """Customers who returned most."""
    joined = (
        t["customer"].merge(t["orders"], left_on="c_custkey", right_on="o_custkey")
        .merge(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .merge(t["nation"], left_on="c_nationkey", right_on="n_nationkey")
    )
    joined = joined[
        (joined["o_orderdate"] >= pd.Timestamp("1993-10-01"))
        & (joined["o_orderdate"] < pd.Timestamp("1994-01-01"))
        & (joined["l_returnflag"] == "R")
    ]
    joined = joined.assign(revenue=joined["l_extendedprice"] * (1 - joined["l_discount"]))
    keys = ["c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment"]
    result = joined.groupby(keys, as_index=False)["revenue"].sum()
    result = result.sort_values(["revenue", "c_custkey"], ascending=[False, True]).head(20)
    return result[["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]]


def q12(pd, t):
    """Late lines by mode and priority."""
    joined = t["orders"].merge(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
    late = joined[
        joined["l_shipmode"].isin(["MAIL", "SHIP"])
        & (joined["l_commitdate"] < joined["l_receiptdate"])
        & (joined["l_shipdate"] < joined["l_commitdate"])
        & (joined["l_receiptdate"] >= pd.Timestamp("1994-01-01"))
        & (joined["l_receiptdate"] < pd.Timestamp("1995-01-01"))
    ]
    high = late["o_orderpriority"].isin(["1-URGENT", "2-HIGH"])
    late = late.assign(high_line_count=high, low_line_count=~high)
    return late.groupby("l_shipmode", as_index=False)[["high_line_count", "low_line_count"]].sum().sort_values("l_shipmode")


def q14(pd, t):
    """The share of parts on promotion."""
    joined = t["lineitem"].merge(t["part"], left_on="l_partkey", right_on="p_partkey")
    joined = joined[(joined["l_shipdate"] >= pd.Timestamp("1995-09-01")) & (joined["l_shipdate"] < pd.Timestamp("1995-10-01"))]
    revenue = joined["l_extendedprice"] * (1 - joined["l_discount"])
    promoted = revenue.where(joined["p_type"].str.startswith("PROMO"), 0.0)
    return pd.DataFrame({"promo_revenue": [100.0 * promoted.sum() / revenue.sum()]})


def q17(pd, t):
    """What small orders of a part bring in."""
    joined = t["lineitem"].merge(t["part"], left_on="l_partkey", right_on="p_partkey")
    boxes = joined[(joined["p_brand"] == "Brand#23") & (joined["p_container"] == "MED BOX")]
    usual = boxes.groupby("p_partkey")["l_quantity"].mean().rename("usual").reset_index()
    small = boxes.merge(usual, on="p_partkey")
    small = small[small["l_quantity"] < 0.2 * small["usual"]]
    return pd.DataFrame({"avg_yearly": [small["l_extendedprice"].sum() / 7.0]})


def q20(pd, t):
    """Suppliers of a nation with too much of some parts."""
    lineitem = t["lineitem"]
    year = lineitem[(lineitem["l_shipdate"] >= pd.Timestamp("1994-01-01")) & (lineitem["l_shipdate"] < pd.Timestamp("1995-01-01"))]
    shipped = year.groupby(["l_partkey", "l_suppkey"], as_index=False)["l_quantity"].sum()
    stock = (
        t["part"].merge(t["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .merge(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
    )
    plenty = stock[stock["p_name"].str.startswith("forest") & (stock["ps_availqty"] > 0.5 * stock["l_quantity"])]
    suppliers = (
        t["supplier"].merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .merge(plenty[["ps_suppkey"]].drop_duplicates(), left_on="s_suppkey", right_on="ps_suppkey")
    )
    return suppliers[suppliers["n_name"] == "CANADA"][["s_name", "s_address"]].sort_values("s_name")


def q21(pd, t):
    """Suppliers who alone kept an order waiting."""
    joined = (
        t["supplier"].merge(t["lineitem"], left_on="s_suppkey", right_on="l_suppkey")
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
    )
    joined = joined.assign(late=joined["l_receiptdate"] > joined["l_commitdate"])
    late = joined[joined["late"]]
    suppliers = joined.groupby("o_orderkey")["s_suppkey"].nunique().rename("suppliers").reset_index()
    late_suppliers = late.groupby("o_orderkey")["s_suppkey"].nunique().rename("late_suppliers").reset_index()
    late = late.merge(suppliers, on="o_orderkey").merge(late_suppliers, on="o_orderkey")
    alone = late[
        (late["o_orderstatus"] == "F")
        & (late["n_name"] == "SAUDI ARABIA")
        & (late["suppliers"] > 1)
        & (late["late_suppliers"] == 1)
    ]
    waiting = alone.groupby("s_name").size().reset_index(name="numwait")
    return waiting.sort_values(["numwait", "s_name"], ascending=[False, True]).head(100)
