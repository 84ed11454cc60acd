"""The 22 queries in Polars' lazy frames.

A product of two decimals has no more digits in Polars than the longer of the two, so that `price * (1 - discount)` loses half a cent a line. Products are
taken in `Float64`, which is faster there than wider decimals are; so are averages and ratios. Other sums and comparisons are those of decimals.
"""

from datetime import date

import polars as pl
from polars import LazyFrame, col, lit

COUNTRIES = ["13", "31", "23", "29", "30", "18", "17"]


def volume() -> pl.Expr:
    """The price of a line, less its discount."""
    return as_float("l_extendedprice") * (1.0 - as_float("l_discount"))


def as_float(name: str) -> pl.Expr:
    """A decimal column as a float."""
    return col(name).cast(pl.Float64)


class Queries:
    """The queries over eight tables; `fraction` is the parameter of q11."""

    def __init__(self, tables: dict[str, LazyFrame], fraction: str) -> None:
        self.region = tables["region"]
        self.nation = tables["nation"]
        self.supplier = tables["supplier"]
        self.customer = tables["customer"]
        self.part = tables["part"]
        self.partsupp = tables["partsupp"]
        self.orders = tables["orders"]
        self.lineitem = tables["lineitem"]
        self.fraction = fraction

    def q01(self) -> LazyFrame:
        """The pricing summary."""
        return (
            self.lineitem.filter(col("l_shipdate") <= date(1998, 9, 2))
            .with_columns(disc_price=volume())
            .group_by("l_returnflag", "l_linestatus")
            .agg(
                sum_qty=col("l_quantity").sum(),
                sum_base_price=col("l_extendedprice").sum(),
                sum_disc_price=col("disc_price").sum(),
                sum_charge=(col("disc_price") * (1.0 + as_float("l_tax"))).sum(),
                avg_qty=as_float("l_quantity").mean(),
                avg_price=as_float("l_extendedprice").mean(),
                avg_disc=as_float("l_discount").mean(),
                count_order=pl.len(),
            )
            .sort("l_returnflag", "l_linestatus")
        )

    def q02(self) -> LazyFrame:
        """The cheapest suppliers."""
        offers = (
            self.part.filter((col("p_size") == 15) & col("p_type").str.ends_with("BRASS"))
            .join(self.partsupp, left_on="p_partkey", right_on="ps_partkey")
            .join(self.supplier, left_on="ps_suppkey", right_on="s_suppkey")
            .join(self.nation, left_on="s_nationkey", right_on="n_nationkey")
            .join(self.region.filter(col("r_name") == "EUROPE"), left_on="n_regionkey", right_on="r_regionkey")
        )
        least = offers.group_by("p_partkey").agg(col("ps_supplycost").min())
        return (
            offers.join(least, on=["p_partkey", "ps_supplycost"])
            .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
            .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False])
            .head(100)
        )

    def q03(self) -> LazyFrame:
        """Orders of great revenue that are not yet shipped."""
        day = date(1995, 3, 15)
        return (
            self.customer.filter(col("c_mktsegment") == "BUILDING")
            .join(self.orders.filter(col("o_orderdate") < day), left_on="c_custkey", right_on="o_custkey")
            .join(self.lineitem.filter(col("l_shipdate") > day), left_on="o_orderkey", right_on="l_orderkey")
            .group_by("o_orderkey", "o_orderdate", "o_shippriority")
            .agg(revenue=volume().sum())
            .select(l_orderkey="o_orderkey", revenue="revenue", o_orderdate="o_orderdate", o_shippriority="o_shippriority")
            .sort("revenue", "o_orderdate", "l_orderkey", descending=[True, False, False])
            .head(10)
        )

    def q04(self) -> LazyFrame:
        """Orders of a quarter with a late line, by priority."""
        late = self.lineitem.filter(col("l_commitdate") < col("l_receiptdate"))
        return (
            self.orders.filter(col("o_orderdate").is_between(date(1993, 7, 1), date(1993, 10, 1), closed="left"))
            .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
            .group_by("o_orderpriority")
            .agg(order_count=pl.len())
            .sort("o_orderpriority")
        )

    def q05(self) -> LazyFrame:
        """Revenue within the nations of Asia."""
        return (
            self.region.filter(col("r_name") == "ASIA")
            .join(self.nation, left_on="r_regionkey", right_on="n_regionkey")
            .join(self.customer, left_on="n_nationkey", right_on="c_nationkey")
            .join(
                self.orders.filter(col("o_orderdate").is_between(date(1994, 1, 1), date(1995, 1, 1), closed="left")),
                left_on="c_custkey",
                right_on="o_custkey",
            )
            .join(self.lineitem, left_on="o_orderkey", right_on="l_orderkey")
            .join(self.supplier, left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
            .group_by("n_name")
            .agg(revenue=volume().sum())
            .sort("revenue", "n_name", descending=[True, False])
        )

    def q06(self) -> LazyFrame:
        """What discounts cost."""
        cents = pl.Decimal(15, 2)
        return self.lineitem.filter(
            col("l_shipdate").is_between(date(1994, 1, 1), date(1995, 1, 1), closed="left")
            & col("l_discount").is_between(lit("0.05").cast(cents), lit("0.07").cast(cents))
            & (col("l_quantity") < 24)
        ).select(revenue=(as_float("l_extendedprice") * as_float("l_discount")).sum())

    def q07(self) -> LazyFrame:
        """Trade between two nations, by year."""
        nations = self.nation.filter(col("n_name").is_in(["FRANCE", "GERMANY"])).select("n_nationkey", "n_name")
        return (
            self.supplier.join(nations.rename({"n_name": "supp_nation"}), left_on="s_nationkey", right_on="n_nationkey")
            .join(
                self.lineitem.filter(col("l_shipdate").is_between(date(1995, 1, 1), date(1996, 12, 31))),
                left_on="s_suppkey",
                right_on="l_suppkey",
            )
            .join(self.orders, left_on="l_orderkey", right_on="o_orderkey")
            .join(self.customer, left_on="o_custkey", right_on="c_custkey")
            .join(nations.rename({"n_name": "cust_nation"}), left_on="c_nationkey", right_on="n_nationkey")
            .filter(col("supp_nation") != col("cust_nation"))
            .with_columns(l_year=col("l_shipdate").dt.year())
            .group_by("supp_nation", "cust_nation", "l_year")
            .agg(revenue=volume().sum())
            .sort("supp_nation", "cust_nation", "l_year")
        )

    def q08(self) -> LazyFrame:
        """The share of a nation in a market."""
        american = self.nation.join(self.region.filter(col("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey")
        lines = (
            self.part.filter(col("p_type") == "ECONOMY ANODIZED STEEL")
            .join(self.lineitem, left_on="p_partkey", right_on="l_partkey")
            .join(
                self.orders.filter(col("o_orderdate").is_between(date(1995, 1, 1), date(1996, 12, 31))),
                left_on="l_orderkey",
                right_on="o_orderkey",
            )
            .join(self.customer, left_on="o_custkey", right_on="c_custkey")
            .join(american.select("n_nationkey"), left_on="c_nationkey", right_on="n_nationkey", how="semi")
            .join(self.supplier, left_on="l_suppkey", right_on="s_suppkey")
            .join(self.nation.select("n_nationkey", nation="n_name"), left_on="s_nationkey", right_on="n_nationkey")
        )
        return (
            lines.select("nation", o_year=col("o_orderdate").dt.year(), volume=volume())
            .group_by("o_year")
            .agg(part=col("volume").filter(col("nation") == "BRAZIL").sum(), whole=col("volume").sum())
            .select("o_year", mkt_share=as_float("part") / as_float("whole"))
            .sort("o_year")
        )

    def q09(self) -> LazyFrame:
        """Profit by nation and year."""
        return (
            self.part.filter(col("p_name").str.contains("green", literal=True))
            .join(self.lineitem, left_on="p_partkey", right_on="l_partkey")
            .join(self.partsupp, left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
            .join(self.supplier, left_on="l_suppkey", right_on="s_suppkey")
            .join(self.orders, left_on="l_orderkey", right_on="o_orderkey")
            .join(self.nation, left_on="s_nationkey", right_on="n_nationkey")
            .select(
                nation="n_name",
                o_year=col("o_orderdate").dt.year(),
                amount=volume() - as_float("ps_supplycost") * as_float("l_quantity"),
            )
            .group_by("nation", "o_year")
            .agg(sum_profit=col("amount").sum())
            .sort("nation", "o_year", descending=[False, True])
        )

    def q10(self) -> LazyFrame:
        """Customers who returned most."""
        wanted = ["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]
        return (
            self.customer.join(
                self.orders.filter(col("o_orderdate").is_between(date(1993, 10, 1), date(1994, 1, 1), closed="left")),
                left_on="c_custkey",
                right_on="o_custkey",
            )
            .join(self.lineitem.filter(col("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
            .join(self.nation, left_on="c_nationkey", right_on="n_nationkey")
            .group_by([name for name in wanted if name != "revenue"])
            .agg(revenue=volume().sum())
            .select(wanted)
            .sort("revenue", "c_custkey", descending=[True, False])
            .head(20)
        )

    def q11(self) -> LazyFrame:
        """The most valuable stock."""
        digits = len(self.fraction.partition(".")[2])
        share = lit(self.fraction).cast(pl.Decimal(38, digits))
        stock = (
            self.nation.filter(col("n_name") == "GERMANY")
            .join(self.supplier, left_on="n_nationkey", right_on="s_nationkey")
            .join(self.partsupp, left_on="s_suppkey", right_on="ps_suppkey")
            .select("ps_partkey", value=col("ps_supplycost") * col("ps_availqty"))
        )
        whole = stock.select(least=col("value").sum() * share)
        return (
            stock.group_by("ps_partkey")
            .agg(col("value").sum())
            .join(whole, how="cross")
            .filter(col("value") > col("least"))
            .select("ps_partkey", "value")
            .sort("value", "ps_partkey", descending=[True, False])
        )

    def q12(self) -> LazyFrame:
        """Late lines by mode and priority."""
        urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
        return (
            self.lineitem.filter(
                col("l_shipmode").is_in(["MAIL", "SHIP"])
                & (col("l_commitdate") < col("l_receiptdate"))
                & (col("l_shipdate") < col("l_commitdate"))
                & col("l_receiptdate").is_between(date(1994, 1, 1), date(1995, 1, 1), closed="left")
            )
            .join(self.orders, left_on="l_orderkey", right_on="o_orderkey")
            .group_by("l_shipmode")
            .agg(high_line_count=urgent.sum(), low_line_count=(~urgent).sum())
            .sort("l_shipmode")
        )

    def q13(self) -> LazyFrame:
        """How many customers have how many orders."""
        return (
            self.customer.join(
                self.orders.filter(~col("o_comment").str.contains("special.*requests")),
                left_on="c_custkey",
                right_on="o_custkey",
                how="left",
            )
            .group_by("c_custkey")
            .agg(c_count=col("o_orderkey").count())
            .group_by("c_count")
            .agg(custdist=pl.len())
            .sort("custdist", "c_count", descending=True)
        )

    def q14(self) -> LazyFrame:
        """The share of parts on promotion."""
        return (
            self.lineitem.filter(col("l_shipdate").is_between(date(1995, 9, 1), date(1995, 10, 1), closed="left"))
            .join(self.part, left_on="l_partkey", right_on="p_partkey")
            .select("p_type", volume=volume())
            .select(part=col("volume").filter(col("p_type").str.starts_with("PROMO")).sum(), whole=col("volume").sum())
            .select(promo_revenue=100.0 * as_float("part") / as_float("whole"))
        )

    def q15(self) -> LazyFrame:
        """The supplier who sold most."""
        revenue = (
            self.lineitem.filter(col("l_shipdate").is_between(date(1996, 1, 1), date(1996, 4, 1), closed="left"))
            .group_by("l_suppkey")
            .agg(total_revenue=volume().sum())
        )
        best = revenue.select(col("total_revenue").max())
        return (
            self.supplier.join(revenue.join(best, on="total_revenue"), left_on="s_suppkey", right_on="l_suppkey")
            .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
            .sort("s_suppkey")
        )

    def q16(self) -> LazyFrame:
        """How many suppliers there are for parts of some kinds."""
        complained = self.supplier.filter(col("s_comment").str.contains("Customer.*Complaints"))
        return (
            self.part.filter(
                (col("p_brand") != "Brand#45")
                & ~col("p_type").str.starts_with("MEDIUM POLISHED")
                & col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9])
            )
            .join(self.partsupp, left_on="p_partkey", right_on="ps_partkey")
            .join(complained, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
            .group_by("p_brand", "p_type", "p_size")
            .agg(supplier_cnt=col("ps_suppkey").n_unique())
            .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
        )

    def q17(self) -> LazyFrame:
        """What small orders of a part bring in."""
        lines = self.part.filter((col("p_brand") == "Brand#23") & (col("p_container") == "MED BOX")).join(
            self.lineitem, left_on="p_partkey", right_on="l_partkey"
        )
        usual = lines.group_by("p_partkey").agg(small=0.2 * as_float("l_quantity").mean())
        return (
            lines.join(usual, on="p_partkey")
            .filter(as_float("l_quantity") < col("small"))
            .select(total=col("l_extendedprice").sum())
            .select(avg_yearly=as_float("total") / 7.0)
        )

    def q18(self) -> LazyFrame:
        """Large orders."""
        large = self.lineitem.group_by("l_orderkey").agg(sum_qty=col("l_quantity").sum()).filter(col("sum_qty") > 300)
        return (
            self.orders.join(large, left_on="o_orderkey", right_on="l_orderkey")
            .join(self.customer, left_on="o_custkey", right_on="c_custkey")
            .select("c_name", col("o_custkey").alias("c_custkey"), "o_orderkey", "o_orderdate", "o_totalprice", "sum_qty")
            .sort("o_totalprice", "o_orderdate", "o_orderkey", descending=[True, False, False])
            .head(100)
        )

    def q19(self) -> LazyFrame:
        """Revenue from three kinds of small parts."""
        kinds = [
            ("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5),
            ("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
            ("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15),
        ]
        wanted = pl.any_horizontal(
            (col("p_brand") == brand)
            & col("p_container").is_in(containers)
            & col("l_quantity").is_between(quantity, quantity + 10)
            & col("p_size").is_between(1, size)
            for brand, containers, quantity, size in kinds
        )
        return (
            self.lineitem.filter(col("l_shipmode").is_in(["AIR", "AIR REG"]) & (col("l_shipinstruct") == "DELIVER IN PERSON"))
            .join(self.part, left_on="l_partkey", right_on="p_partkey")
            .filter(wanted)
            .select(revenue=volume().sum())
        )

    def q20(self) -> LazyFrame:
        """Suppliers of a nation with too much of some parts."""
        shipped = (
            self.lineitem.filter(col("l_shipdate").is_between(date(1994, 1, 1), date(1995, 1, 1), closed="left"))
            .group_by("l_partkey", "l_suppkey")
            .agg(half=0.5 * as_float("l_quantity").sum())
        )
        plenty = (
            self.partsupp.join(self.part.filter(col("p_name").str.starts_with("forest")), left_on="ps_partkey", right_on="p_partkey", how="semi")
            .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
            .filter(col("ps_availqty") > col("half"))
        )
        return (
            self.supplier.join(self.nation.filter(col("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey", how="semi")
            .join(plenty, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
            .select("s_name", "s_address")
            .sort("s_name")
        )

    def q21(self) -> LazyFrame:
        """Suppliers who alone kept an order waiting."""
        several = self.lineitem.group_by("l_orderkey").agg(suppliers=col("l_suppkey").n_unique()).filter(col("suppliers") > 1)
        late = self.lineitem.filter(col("l_receiptdate") > col("l_commitdate"))
        alone = late.group_by("l_orderkey").agg(suppliers=col("l_suppkey").n_unique()).filter(col("suppliers") == 1)
        return (
            self.nation.filter(col("n_name") == "SAUDI ARABIA")
            .join(self.supplier, left_on="n_nationkey", right_on="s_nationkey")
            .join(late, left_on="s_suppkey", right_on="l_suppkey")
            .join(several, on="l_orderkey", how="semi")
            .join(alone, on="l_orderkey", how="semi")
            .join(self.orders.filter(col("o_orderstatus") == "F"), left_on="l_orderkey", right_on="o_orderkey", how="semi")
            .group_by("s_name")
            .agg(numwait=pl.len())
            .sort("numwait", "s_name", descending=[True, False])
            .head(100)
        )

    def q22(self) -> LazyFrame:
        """Customers with money who never ordered."""
        near = self.customer.with_columns(cntrycode=col("c_phone").str.slice(0, 2)).filter(col("cntrycode").is_in(COUNTRIES))
        usual = near.filter(col("c_acctbal") > 0).select(usual=as_float("c_acctbal").mean())
        return (
            near.join(usual, how="cross")
            .filter(as_float("c_acctbal") > col("usual"))
            .join(self.orders, left_on="c_custkey", right_on="o_custkey", how="anti")
            .group_by("cntrycode")
            .agg(numcust=pl.len(), totacctbal=col("c_acctbal").sum())
            .sort("cntrycode")
        )
