"""The 22 queries of TPC-H as a pandas user writes them.

`pd` is pandas or a module that stands in for it; `t` maps the names of tables to data frames, with floats for decimals and timestamps for dates. Columns are not
pruned by hand, and the steps stand in the order in which one thinks of them: what to leave out and what to do first is the engine's business.
"""

QUERIES = [f"q{number:02}" for number in range(1, 23)]


def q01(pd, t):
    """The pricing summary."""
    lineitem = t["lineitem"]
    shipped = lineitem[lineitem["l_shipdate"] <= pd.Timestamp("1998-09-02")].copy()
    shipped["disc_price"] = shipped["l_extendedprice"] * (1 - shipped["l_discount"])
    shipped["charge"] = shipped["disc_price"] * (1 + shipped["l_tax"])
    return (
        shipped.groupby(["l_returnflag", "l_linestatus"], as_index=False)
        .agg(
            sum_qty=("l_quantity", "sum"),
            sum_base_price=("l_extendedprice", "sum"),
            sum_disc_price=("disc_price", "sum"),
            sum_charge=("charge", "sum"),
            avg_qty=("l_quantity", "mean"),
            avg_price=("l_extendedprice", "mean"),
            avg_disc=("l_discount", "mean"),
            count_order=("l_orderkey", "count"),
        )
        .sort_values(["l_returnflag", "l_linestatus"])
    )


def q02(pd, t):
    """The cheapest suppliers."""
    part, region = t["part"], t["region"]
    brass = part[(part["p_size"] == 15) & part["p_type"].str.endswith("BRASS")]
    europe = region[region["r_name"] == "EUROPE"]
    suppliers = (
        t["supplier"]
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .merge(europe, left_on="n_regionkey", right_on="r_regionkey")
    )
    offers = (
        brass.merge(t["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .merge(suppliers, left_on="ps_suppkey", right_on="s_suppkey")
    )
    least = offers.groupby("p_partkey", as_index=False)["ps_supplycost"].min()
    best = offers.merge(least, on=["p_partkey", "ps_supplycost"])
    columns = ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]
    return (
        best[columns]
        .sort_values(["s_acctbal", "n_name", "s_name", "p_partkey"], ascending=[False, True, True, True])
        .head(100)
    )


def q03(pd, t):
    """Orders of great revenue that are not yet shipped."""
    customer, orders, lineitem = t["customer"], t["orders"], t["lineitem"]
    day = pd.Timestamp("1995-03-15")
    building = customer[customer["c_mktsegment"] == "BUILDING"]
    open_orders = orders[orders["o_orderdate"] < day]
    unshipped = lineitem[lineitem["l_shipdate"] > day]
    joined = (
        building.merge(open_orders, left_on="c_custkey", right_on="o_custkey")
        .merge(unshipped, left_on="o_orderkey", right_on="l_orderkey")
    )
    joined["revenue"] = joined["l_extendedprice"] * (1 - joined["l_discount"])
    result = (
        joined.groupby(["l_orderkey", "o_orderdate", "o_shippriority"], as_index=False)["revenue"]
        .sum()
        .sort_values(["revenue", "o_orderdate", "l_orderkey"], ascending=[False, True, True])
        .head(10)
    )
    return result[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]]


def q04(pd, t):
    """Orders of a quarter with a late line, by priority."""
    orders, lineitem = t["orders"], t["lineitem"]
    late = lineitem[lineitem["l_commitdate"] < lineitem["l_receiptdate"]]
    quarter = orders[(orders["o_orderdate"] >= pd.Timestamp("1993-07-01")) & (orders["o_orderdate"] < pd.Timestamp("1993-10-01"))]
    waiting = quarter.merge(late[["l_orderkey"]].drop_duplicates(), left_on="o_orderkey", right_on="l_orderkey")
    return waiting.groupby("o_orderpriority").agg(order_count=("o_orderkey", "count")).reset_index().sort_values("o_orderpriority")


def q05(pd, t):
    """Revenue within the nations of Asia."""
    region, orders = t["region"], t["orders"]
    asia = region[region["r_name"] == "ASIA"]
    year = orders[(orders["o_orderdate"] >= pd.Timestamp("1994-01-01")) & (orders["o_orderdate"] < pd.Timestamp("1995-01-01"))]
    joined = (
        asia.merge(t["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .merge(t["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .merge(year, left_on="c_custkey", right_on="o_custkey")
        .merge(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .merge(t["supplier"], left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    )
    joined["revenue"] = joined["l_extendedprice"] * (1 - joined["l_discount"])
    return joined.groupby("n_name", as_index=False)["revenue"].sum().sort_values("revenue", ascending=False)


def q06(pd, t):
    """What discounts cost."""
    lineitem = t["lineitem"]
    cheap = lineitem[
        (lineitem["l_shipdate"] >= pd.Timestamp("1994-01-01"))
        & (lineitem["l_shipdate"] < pd.Timestamp("1995-01-01"))
        & lineitem["l_discount"].between(0.05, 0.07)
        & (lineitem["l_quantity"] < 24)
    ]
    revenue = (cheap["l_extendedprice"] * cheap["l_discount"]).sum()
    return pd.DataFrame({"revenue": [revenue]})


def q07(pd, t):
    """Trade between two nations, by year."""
    nation, lineitem = t["nation"], t["lineitem"]
    both = nation[nation["n_name"].isin(["FRANCE", "GERMANY"])]
    suppliers = t["supplier"].merge(both, left_on="s_nationkey", right_on="n_nationkey").rename(columns={"n_name": "supp_nation"})
    customers = t["customer"].merge(both, left_on="c_nationkey", right_on="n_nationkey").rename(columns={"n_name": "cust_nation"})
    shipped = lineitem[lineitem["l_shipdate"].between(pd.Timestamp("1995-01-01"), pd.Timestamp("1996-12-31"))]
    joined = (
        shipped.merge(suppliers, left_on="l_suppkey", right_on="s_suppkey")
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(customers, left_on="o_custkey", right_on="c_custkey")
    )
    trade = joined[joined["supp_nation"] != joined["cust_nation"]]
    trade = trade.assign(
        l_year=trade["l_shipdate"].dt.year,
        volume=trade["l_extendedprice"] * (1 - trade["l_discount"]),
    )
    return (
        trade.groupby(["supp_nation", "cust_nation", "l_year"], as_index=False)
        .agg(revenue=("volume", "sum"))
        .sort_values(["supp_nation", "cust_nation", "l_year"])
    )


def q08(pd, t):
    """The share of a nation in a market."""
    part, region, orders, nation = t["part"], t["region"], t["orders"], t["nation"]
    steel = part[part["p_type"] == "ECONOMY ANODIZED STEEL"]
    america = region[region["r_name"] == "AMERICA"]
    years = orders[(orders["o_orderdate"] >= pd.Timestamp("1995-01-01")) & (orders["o_orderdate"] <= pd.Timestamp("1996-12-31"))]
    joined = (
        steel.merge(t["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .merge(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .merge(years, left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["customer"], left_on="o_custkey", right_on="c_custkey")
        .merge(nation, left_on="c_nationkey", right_on="n_nationkey")
        .merge(america, left_on="n_regionkey", right_on="r_regionkey")
        .merge(nation, left_on="s_nationkey", right_on="n_nationkey", suffixes=("_customer", "_supplier"))
    )
    joined["o_year"] = joined["o_orderdate"].dt.year
    joined["volume"] = joined["l_extendedprice"] * (1 - joined["l_discount"])
    joined["brazil"] = joined["volume"].where(joined["n_name_supplier"] == "BRAZIL", 0.0)
    sums = joined.groupby("o_year", as_index=False)[["brazil", "volume"]].sum()
    sums["mkt_share"] = sums["brazil"] / sums["volume"]
    return sums[["o_year", "mkt_share"]].sort_values("o_year")


def q09(pd, t):
    """Profit by nation and year."""
    part = t["part"]
    green = part[part["p_name"].str.contains("green")]
    joined = (
        green.merge(t["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .merge(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .merge(t["partsupp"], left_on=["l_suppkey", "l_partkey"], right_on=["ps_suppkey", "ps_partkey"])
        .merge(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
    )
    joined["o_year"] = joined["o_orderdate"].dt.year
    joined["amount"] = joined["l_extendedprice"] * (1 - joined["l_discount"]) - joined["ps_supplycost"] * joined["l_quantity"]
    return (
        joined.rename(columns={"n_name": "nation"})
        .groupby(["nation", "o_year"], as_index=False)
        .agg(sum_profit=("amount", "sum"))
        .sort_values(["nation", "o_year"], ascending=[True, False])
    )


def q10(pd, t):
    """Customers who returned most."""
    orders, lineitem = t["orders"], t["lineitem"]
    quarter = orders[(orders["o_orderdate"] >= pd.Timestamp("1993-10-01")) & (orders["o_orderdate"] < pd.Timestamp("1994-01-01"))]
    returned = lineitem[lineitem["l_returnflag"] == "R"]
    joined = (
        t["customer"].merge(quarter, left_on="c_custkey", right_on="o_custkey")
        .merge(returned, left_on="o_orderkey", right_on="l_orderkey")
        .merge(t["nation"], left_on="c_nationkey", right_on="n_nationkey")
    )
    joined["revenue"] = joined["l_extendedprice"] * (1 - joined["l_discount"])
    keys = ["c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment"]
    result = joined.groupby(keys, as_index=False)["revenue"].sum()
    result = result.sort_values(["revenue", "c_custkey"], ascending=[False, True]).head(20)
    return result[["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]]


def q11(pd, t, fraction=0.0001):
    """The most valuable stock. The fraction of the whole that counts shrinks as the data grows: it is a ten-thousandth at scale 1."""
    nation = t["nation"]
    germany = nation[nation["n_name"] == "GERMANY"]
    stock = (
        t["partsupp"].merge(t["supplier"], left_on="ps_suppkey", right_on="s_suppkey")
        .merge(germany, left_on="s_nationkey", right_on="n_nationkey")
    )
    stock["value"] = stock["ps_supplycost"] * stock["ps_availqty"]
    threshold = stock["value"].sum() * fraction
    parts = stock.groupby("ps_partkey", as_index=False)["value"].sum()
    return parts[parts["value"] > threshold].sort_values(["value", "ps_partkey"], ascending=[False, True])


def q12(pd, t):
    """Late lines by mode and priority."""
    lineitem = t["lineitem"]
    late = lineitem[
        lineitem["l_shipmode"].isin(["MAIL", "SHIP"])
        & (lineitem["l_commitdate"] < lineitem["l_receiptdate"])
        & (lineitem["l_shipdate"] < lineitem["l_commitdate"])
        & (lineitem["l_receiptdate"] >= pd.Timestamp("1994-01-01"))
        & (lineitem["l_receiptdate"] < pd.Timestamp("1995-01-01"))
    ]
    joined = t["orders"].merge(late, left_on="o_orderkey", right_on="l_orderkey")
    joined["high_line_count"] = joined["o_orderpriority"].isin(["1-URGENT", "2-HIGH"])
    joined["low_line_count"] = ~joined["high_line_count"]
    return joined.groupby("l_shipmode")[["high_line_count", "low_line_count"]].sum().reset_index().sort_values("l_shipmode")


def q13(pd, t):
    """How many customers have how many orders."""
    orders = t["orders"]
    usual = orders[~orders["o_comment"].str.contains("special.*requests")]
    joined = t["customer"].merge(usual, how="left", left_on="c_custkey", right_on="o_custkey")
    counts = joined.groupby("c_custkey", as_index=False).agg(c_count=("o_orderkey", "count"))
    return (
        counts.groupby("c_count", as_index=False)
        .agg(custdist=("c_custkey", "size"))
        .sort_values(["custdist", "c_count"], ascending=False)
    )


def q14(pd, t):
    """The share of parts on promotion."""
    lineitem = t["lineitem"]
    month = lineitem[(lineitem["l_shipdate"] >= pd.Timestamp("1995-09-01")) & (lineitem["l_shipdate"] < pd.Timestamp("1995-10-01"))]
    joined = month.merge(t["part"], left_on="l_partkey", right_on="p_partkey")
    revenue = joined["l_extendedprice"] * (1 - joined["l_discount"])
    promoted = revenue[joined["p_type"].str.startswith("PROMO")]
    return pd.DataFrame({"promo_revenue": [100.0 * promoted.sum() / revenue.sum()]})


def q15(pd, t):
    """The supplier who sold most."""
    lineitem = t["lineitem"]
    quarter = lineitem[(lineitem["l_shipdate"] >= pd.Timestamp("1996-01-01")) & (lineitem["l_shipdate"] < pd.Timestamp("1996-04-01"))]
    quarter = quarter.assign(total_revenue=quarter["l_extendedprice"] * (1 - quarter["l_discount"]))
    revenue = quarter.groupby("l_suppkey", as_index=False)["total_revenue"].sum()
    best = revenue["total_revenue"].max()
    top = t["supplier"].merge(revenue[revenue["total_revenue"] == best], left_on="s_suppkey", right_on="l_suppkey")
    return top[["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"]].sort_values("s_suppkey")


def q16(pd, t):
    """How many suppliers there are for parts of some kinds."""
    part, partsupp, supplier = t["part"], t["partsupp"], t["supplier"]
    wanted = part[
        (part["p_brand"] != "Brand#45")
        & ~part["p_type"].str.startswith("MEDIUM POLISHED")
        & part["p_size"].isin([49, 14, 23, 45, 19, 3, 36, 9])
    ]
    complained = supplier[supplier["s_comment"].str.contains("Customer.*Complaints")]
    offers = partsupp[~partsupp["ps_suppkey"].isin(complained["s_suppkey"])]
    return (
        wanted.merge(offers, left_on="p_partkey", right_on="ps_partkey")
        .groupby(["p_brand", "p_type", "p_size"])["ps_suppkey"]
        .nunique()
        .reset_index(name="supplier_cnt")
        .sort_values(["supplier_cnt", "p_brand", "p_type", "p_size"], ascending=[False, True, True, True])
    )


def q17(pd, t):
    """What small orders of a part bring in."""
    part = t["part"]
    boxes = part[(part["p_brand"] == "Brand#23") & (part["p_container"] == "MED BOX")]
    lines = t["lineitem"].merge(boxes, left_on="l_partkey", right_on="p_partkey")
    usual = lines.groupby("l_partkey")["l_quantity"].transform("mean")
    small = lines[lines["l_quantity"] < 0.2 * usual]
    return pd.DataFrame({"avg_yearly": [small["l_extendedprice"].sum() / 7.0]})


def q18(pd, t):
    """Large orders."""
    lineitem, orders = t["lineitem"], t["orders"]
    quantities = lineitem.groupby("l_orderkey")["l_quantity"].sum()
    large = quantities[quantities > 300]
    joined = (
        orders[orders["o_orderkey"].isin(large.index)]
        .merge(lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .merge(t["customer"], left_on="o_custkey", right_on="c_custkey")
    )
    return (
        joined.groupby(["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice"], as_index=False)
        .agg(sum_qty=("l_quantity", "sum"))
        .sort_values(["o_totalprice", "o_orderdate", "o_orderkey"], ascending=[False, True, True])
        .head(100)
    )


def q19(pd, t):
    """Revenue from three kinds of small parts."""
    joined = t["lineitem"].merge(t["part"], left_on="l_partkey", right_on="p_partkey")
    by_hand = joined["l_shipmode"].isin(["AIR", "AIR REG"]) & (joined["l_shipinstruct"] == "DELIVER IN PERSON")
    small = (
        (joined["p_brand"] == "Brand#12")
        & joined["p_container"].isin(["SM CASE", "SM BOX", "SM PACK", "SM PKG"])
        & joined["l_quantity"].between(1, 11)
        & joined["p_size"].between(1, 5)
    )
    medium = (
        (joined["p_brand"] == "Brand#23")
        & joined["p_container"].isin(["MED BAG", "MED BOX", "MED PKG", "MED PACK"])
        & joined["l_quantity"].between(10, 20)
        & joined["p_size"].between(1, 10)
    )
    large = (
        (joined["p_brand"] == "Brand#34")
        & joined["p_container"].isin(["LG CASE", "LG BOX", "LG PACK", "LG PKG"])
        & joined["l_quantity"].between(20, 30)
        & joined["p_size"].between(1, 15)
    )
    sold = joined[by_hand & (small | medium | large)]
    return pd.DataFrame({"revenue": [(sold["l_extendedprice"] * (1 - sold["l_discount"])).sum()]})


def q20(pd, t):
    """Suppliers of a nation with too much of some parts."""
    part, lineitem, nation, supplier = t["part"], t["lineitem"], t["nation"], t["supplier"]
    forest = part[part["p_name"].str.startswith("forest")]
    year = lineitem[(lineitem["l_shipdate"] >= pd.Timestamp("1994-01-01")) & (lineitem["l_shipdate"] < pd.Timestamp("1995-01-01"))]
    shipped = year.groupby(["l_partkey", "l_suppkey"], as_index=False)["l_quantity"].sum()
    stock = (
        t["partsupp"].merge(forest, left_on="ps_partkey", right_on="p_partkey")
        .merge(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
    )
    plenty = stock[stock["ps_availqty"] > 0.5 * stock["l_quantity"]]
    canada = nation[nation["n_name"] == "CANADA"]
    suppliers = supplier[supplier["s_suppkey"].isin(plenty["ps_suppkey"])].merge(canada, left_on="s_nationkey", right_on="n_nationkey")
    return suppliers[["s_name", "s_address"]].sort_values("s_name")


def q21(pd, t):
    """Suppliers who alone kept an order waiting."""
    lineitem, orders, nation = t["lineitem"], t["orders"], t["nation"]
    late = lineitem[lineitem["l_receiptdate"] > lineitem["l_commitdate"]]
    suppliers = lineitem.groupby("l_orderkey", as_index=False).agg(suppliers=("l_suppkey", "nunique"))
    late_suppliers = late.groupby("l_orderkey", as_index=False).agg(late_suppliers=("l_suppkey", "nunique"))
    joined = (
        late.merge(suppliers, on="l_orderkey")
        .merge(late_suppliers, on="l_orderkey")
        .merge(orders[orders["o_orderstatus"] == "F"], left_on="l_orderkey", right_on="o_orderkey")
        .merge(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .merge(nation[nation["n_name"] == "SAUDI ARABIA"], left_on="s_nationkey", right_on="n_nationkey")
    )
    alone = joined[(joined["suppliers"] > 1) & (joined["late_suppliers"] == 1)]
    return (
        alone.groupby("s_name")
        .size()
        .reset_index(name="numwait")
        .sort_values(["numwait", "s_name"], ascending=[False, True])
        .head(100)
    )


def q22(pd, t):
    """Customers with money who never ordered."""
    customer, orders = t["customer"], t["orders"]
    customer = customer.assign(cntrycode=customer["c_phone"].str[:2])
    near = customer[customer["cntrycode"].isin(["13", "31", "23", "29", "30", "18", "17"])]
    usual = near[near["c_acctbal"] > 0]["c_acctbal"].mean()
    idle = near[(near["c_acctbal"] > usual) & ~near["c_custkey"].isin(orders["o_custkey"])]
    return (
        idle.groupby("cntrycode", as_index=False)
        .agg(numcust=("c_acctbal", "size"), totacctbal=("c_acctbal", "sum"))
        .sort_values("cntrycode")
    )
