"""Queries 26 to 40: promotions, returns above the mean of a state, margins along a hierarchy, stock that varies."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from polars import LazyFrame
from tpcds.shapes import Tables, dated, first_rows, number, rollup

c = pl.col


def q26(t: Tables) -> LazyFrame:
    """Means of quantity and prices of items that single women bought by catalog without promotion."""
    people = t.customer_demographics.filter((c.cd_gender == "F") & c.cd_marital_status.is_in(["W", "S"])).select("cd_demo_sk")
    offers = t.promotion.filter((c.p_channel_email == "N") | (c.p_channel_event == "N")).select("p_promo_sk")
    sales = t.sold("cs", c.d_year == 1999).join(people, left_on="cs_bill_cdemo_sk", right_on="cd_demo_sk").join(offers, left_on="cs_promo_sk", right_on="p_promo_sk")
    means = {f"agg{at}": number(name).mean() for at, name in enumerate(["cs_quantity", "cs_list_price", "cs_coupon_amt", "cs_sales_price"], 1)}
    return first_rows(sales.join(t.item, left_on="cs_item_sk", right_on="i_item_sk").group_by("i_item_id").agg(**means), "i_item_id")


def q27(t: Tables) -> LazyFrame:
    """Means of quantity and prices by item and state, with totals."""
    people = t.customer_demographics.filter((c.cd_gender == "M") & (c.cd_education_status != "Primary")).select("cd_demo_sk")
    sales = t.sold("ss", c.d_year == 2000).join(people, left_on="ss_cdemo_sk", right_on="cd_demo_sk").join(t.store.filter(c.s_state.is_in(["TN", "OH"])), left_on="ss_store_sk", right_on="s_store_sk")
    means = {f"agg{at}": number(name).mean() for at, name in enumerate(["ss_quantity", "ss_list_price", "ss_coupon_amt", "ss_sales_price"], 1)}
    found = rollup(sales.join(t.item, left_on="ss_item_sk", right_on="i_item_sk"), ["i_item_id", "s_state"], **means)
    return first_rows(found.with_columns(g_state=(c.level > 0).cast(pl.Int8)).drop("level"), "i_item_id", "s_state")


def q28(t: Tables) -> LazyFrame:
    """For six ranges of quantities, mean, count and distinct count of list prices."""
    price, coupon, cost = number("ss_list_price"), number("ss_coupon_amt"), number("ss_wholesale_cost")
    made: LazyFrame | None = None
    for at, (low, prices, coupons, costs) in enumerate([(0, (8, 18), (459, 1459), (57, 77)), (6, (90, 100), (23, 1023), (31, 51)), (11, (142, 152), (124, 1124), (79, 99)), (16, (135, 145), (60, 70), (3, 30)), (21, (12, 40), (0, 5), (50, 99)), (26, (28, 68), (1, 900), (4, 44))], 1):
        chosen = t.store_sales.filter(c.ss_quantity.is_between(low, low + 20) & (price.is_between(*prices) | coupon.is_between(*coupons) | cost.is_between(*costs)))
        bucket = chosen.select(price.mean().alias(f"b{at}_mean"), c.ss_list_price.count().alias(f"b{at}_count"), c.ss_list_price.n_unique().alias(f"b{at}_distinct"))
        made = bucket if made is None else made.join(bucket, how="cross")
    assert made is not None
    return made


def returned_much(t: Tables, returns: LazyFrame, customer: str, address: str, amount: str) -> LazyFrame:
    """Customers whose returns are a fifth above the mean of the state they were made in."""
    totals = returns.join(t.customer_address, left_on=address, right_on="ca_address_sk").group_by(customer, "ca_state").agg(total=c(amount).sum())
    above = totals.with_columns(mean=number("total").mean().over("ca_state")).filter(number("total") > 1.2 * c.mean)
    homes = t.customer_address.filter(c.ca_state.is_in(["GA", "TN", "OH"])).select("ca_address_sk")
    people = t.customer.join(homes, left_on="c_current_addr_sk", right_on="ca_address_sk")
    names = ["c_customer_id", "c_salutation", "c_first_name", "c_last_name", "c_preferred_cust_flag", "c_birth_day", "c_birth_month", "c_birth_year", "c_birth_country", "c_login"]
    return above.join(people, left_on=customer, right_on="c_customer_sk").select(*names, "total")


def q30(t: Tables) -> LazyFrame:
    """Customers whose returns on the web are a fifth above the mean of a state."""
    returns = dated(t.web_returns, "wr_returned_date_sk", t.date_dim.filter(c.d_year == 2000).select("d_date_sk"))
    return first_rows(returned_much(t, returns, "wr_returning_customer_sk", "wr_returning_addr_sk", "wr_return_amt"), "c_customer_id")


def q31(t: Tables) -> LazyFrame:
    """Counties where sales on the web grew more than those of stores from quarter to quarter."""

    def quarters(prefix: str, address: str) -> LazyFrame:
        sales = t.sold(prefix, c.d_year == 1999, "d_qoy").join(t.customer_address, left_on=address, right_on="ca_address_sk")
        return sales.group_by("ca_county").agg(c(f"{prefix}_ext_sales_price").filter(c.d_qoy == quarter).sum().alias(f"{prefix}{quarter}") for quarter in (1, 2, 3))

    both = quarters("ss", "ss_addr_sk").join(quarters("ws", "ws_bill_addr_sk"), on="ca_county")

    def growth(prefix: str, quarter: int) -> pl.Expr:
        before = number(f"{prefix}{quarter}")
        return pl.when(before > 0).then(number(f"{prefix}{quarter + 1}") / before)

    found = both.select("ca_county", web_q1_q2=growth("ws", 1), store_q1_q2=growth("ss", 1), web_q2_q3=growth("ws", 2), store_q2_q3=growth("ss", 2))
    return found.filter((c.web_q1_q2 > c.store_q1_q2) | (c.web_q2_q3 > c.store_q2_q3)).sort("ca_county")


def excess_discount(t: Tables, prefix: str) -> LazyFrame:
    """Discounts that are a third above the mean of their item."""
    amount = number(f"{prefix}_ext_discount_amt")
    sales = t.sold(prefix, c.d_date.is_between(date(1999, 1, 1), date(1999, 4, 30)))
    means = sales.group_by(f"{prefix}_item_sk").agg(bound=1.3 * amount.mean())
    items = t.item.filter(c.i_manufact_id.is_in([1, 2, 3, 4])).select("i_item_sk")
    chosen = sales.join(items, left_on=f"{prefix}_item_sk", right_on="i_item_sk").join(means, on=f"{prefix}_item_sk").filter(amount > c.bound)
    return chosen.select(excess=c(f"{prefix}_ext_discount_amt").sum())


def q32(t: Tables) -> LazyFrame:
    """Excessive discounts by catalog."""
    return excess_discount(t, "cs")


def by_channel(t: Tables, key: str, items: pl.Expr, days: pl.Expr) -> LazyFrame:
    """Sales of all channels to customers of one time zone, by a key of items that others share."""
    keys = t.item.filter(items).select(key).unique()
    chosen = t.item.join(keys, on=key, how="semi").select("i_item_sk", key)
    homes = t.customer_address.filter(c.ca_gmt_offset == -5).select("ca_address_sk")
    parts = []
    for prefix, address in {"ss": "ss_addr_sk", "cs": "cs_bill_addr_sk", "ws": "ws_bill_addr_sk"}.items():
        sales = t.sold(prefix, days).join(homes, left_on=address, right_on="ca_address_sk").join(chosen, left_on=f"{prefix}_item_sk", right_on="i_item_sk")
        parts.append(sales.group_by(key).agg(total_sales=c(f"{prefix}_ext_sales_price").sum()))
    return pl.concat(parts).group_by(key).agg(c.total_sales.sum())


def q33(t: Tables) -> LazyFrame:
    """Sales of manufacturers of electronics."""
    return first_rows(by_channel(t, "i_manufact_id", c.i_category == "Electronics", (c.d_year == 1999) & (c.d_moy == 2)), "total_sales", "i_manufact_id")


def baskets(t: Tables, days: pl.Expr, low: int, high: int) -> LazyFrame:
    """Tickets of chosen households with a number of items, with who bought them."""
    ratio = pl.when(c.hd_vehicle_count > 0).then(c.hd_dep_count / c.hd_vehicle_count)
    households = t.household_demographics.filter(c.hd_buy_potential.is_in([">10000", "Unknown", "0-500"]) & (c.hd_vehicle_count > 0) & (ratio > 1.0))
    sales = t.sold("ss", days).join(t.store.filter(c.s_county.is_in(["Williamson County", "Ziebach County", "Walker County"])), left_on="ss_store_sk", right_on="s_store_sk").join(households, left_on="ss_hdemo_sk", right_on="hd_demo_sk")
    tickets = sales.group_by("ss_ticket_number", "ss_customer_sk").agg(cnt=pl.len()).filter(c.cnt.is_between(low, high))
    return tickets.join(t.customer, left_on="ss_customer_sk", right_on="c_customer_sk").select("c_last_name", "c_first_name", "c_salutation", "c_preferred_cust_flag", "ss_ticket_number", "cnt")


def q34(t: Tables) -> LazyFrame:
    """Great baskets at the beginnings and ends of months."""
    days = (c.d_dom.is_between(1, 5) | c.d_dom.is_between(22, 28)) & c.d_year.is_in([1999, 2000, 2001])
    return first_rows(baskets(t, days, 4, 20), "c_last_name", "c_first_name", "c_salutation", "c_preferred_cust_flag", "ss_ticket_number", descending=["c_preferred_cust_flag"], count=1000)


def q35(t: Tables) -> LazyFrame:
    """Demographics of customers who buy in stores and elsewhere, with counts and means of dependants."""
    days = (c.d_year == 2000) & (c.d_qoy < 4)
    elsewhere = pl.concat([t.sold("ws", days).select(customer="ws_bill_customer_sk"), t.sold("cs", days).select(customer="cs_ship_customer_sk")])
    people = t.customer.join(t.sold("ss", days), left_on="c_customer_sk", right_on="ss_customer_sk", how="semi").join(elsewhere, left_on="c_customer_sk", right_on="customer", how="semi")
    people = people.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk").join(t.customer_demographics, left_on="c_current_cdemo_sk", right_on="cd_demo_sk")
    measures: dict[str, pl.Expr] = {"cnt": pl.len()}
    for name in ("cd_dep_count", "cd_dep_employed_count", "cd_dep_college_count"):
        measures.update({f"{name}_min": c(name).min(), f"{name}_max": c(name).max(), f"{name}_mean": c(name).mean()})
    keys = ["ca_state", "cd_gender", "cd_marital_status"]
    return first_rows(people.group_by(keys).agg(**measures), *keys)


def margins(t: Tables, prefix: str, sales: LazyFrame, top: str, bottom: str) -> LazyFrame:
    """Gross margins along category and class, ranked among those of the same parent."""
    found = rollup(sales, ["i_category", "i_class"], top=c(top).sum(), bottom=c(bottom).sum())
    found = found.with_columns(gross_margin=number("top") / number("bottom"), parent=pl.when(c.level == 0).then(c.i_category))
    return first_rows(found.with_columns(rank=c.gross_margin.rank("min").over("level", "parent")).drop("top", "bottom", "parent"), "level", "i_category", "rank", "i_class", descending=["level"])


def q36(t: Tables) -> LazyFrame:
    """Margins of store sales along the hierarchy of items."""
    sales = t.sold("ss", c.d_year == 2000).join(t.item, left_on="ss_item_sk", right_on="i_item_sk").join(t.store.filter(c.s_state.is_in(["TN", "GA"])), left_on="ss_store_sk", right_on="s_store_sk")
    return margins(t, "ss", sales, "ss_net_profit", "ss_ext_sales_price")


def in_stock(t: Tables, prefix: str) -> LazyFrame:
    """Items of a range of prices that were in stock within two months, and sold in a channel."""
    stock = dated(t.inventory.filter(c.inv_quantity_on_hand.is_between(100, 500)), "inv_date_sk", t.date_dim.filter(c.d_date.is_between(date(1999, 2, 1), date(1999, 6, 1))).select("d_date_sk"))
    items = t.item.filter(number("i_current_price").is_between(20, 120) & c.i_manufact_id.is_in([2, 4, 6, 8]))
    found = items.join(stock, left_on="i_item_sk", right_on="inv_item_sk", how="semi").join(getattr(t, {"cs": "catalog_sales", "ss": "store_sales"}[prefix]), left_on="i_item_sk", right_on=f"{prefix}_item_sk", how="semi")
    return first_rows(found.select("i_item_id", "i_item_desc", "i_current_price").unique(), "i_item_id")


def q37(t: Tables) -> LazyFrame:
    """Items in stock that are sold by catalog."""
    return in_stock(t, "cs")


def _buyers(t: Tables) -> list[LazyFrame]:
    """Names of customers and days on which they bought, by channel."""
    days = c.d_month_seq.is_between(1188, 1211)
    customers = {"ss": "ss_customer_sk", "cs": "cs_bill_customer_sk", "ws": "ws_bill_customer_sk"}
    names = ["c_last_name", "c_first_name", "d_date"]
    return [t.sold(prefix, days, "d_date").join(t.customer, left_on=key, right_on="c_customer_sk").select(names).unique() for prefix, key in customers.items()]


def q38(t: Tables) -> LazyFrame:
    """How many customers bought in all channels on one day."""
    store, catalog, web = _buyers(t)
    names = ["c_last_name", "c_first_name", "d_date"]
    return store.join(catalog, on=names, how="semi", nulls_equal=True).join(web, on=names, how="semi", nulls_equal=True).select(count=pl.len())


def q87(t: Tables) -> LazyFrame:
    """How many customers bought in stores on a day, and in no other channel."""
    store, catalog, web = _buyers(t)
    names = ["c_last_name", "c_first_name", "d_date"]
    return store.join(catalog, on=names, how="anti", nulls_equal=True).join(web, on=names, how="anti", nulls_equal=True).select(count=pl.len())


def q39(t: Tables) -> LazyFrame:
    """Stocks that vary much in two months that follow one another."""
    stock = dated(t.inventory, "inv_date_sk", t.date_dim.filter(c.d_year == 2000).select("d_date_sk", "d_moy")).join(t.warehouse, left_on="inv_warehouse_sk", right_on="w_warehouse_sk", coalesce=False)
    keys = ["w_warehouse_sk", "inv_item_sk", "d_moy"]
    found = stock.group_by(keys).agg(mean=c.inv_quantity_on_hand.mean(), deviation=c.inv_quantity_on_hand.std(ddof=0))
    varied = found.with_columns(cov=pl.when(c.mean != 0).then(c.deviation / c.mean)).filter(pl.when(c.mean == 0).then(0.0).otherwise(c.deviation / c.mean) >= 0.0)
    pairs = varied.join(varied.with_columns(c.d_moy - 1), on=keys, suffix="_next")
    return pairs.select(*keys, "mean", "cov", "mean_next", "cov_next").sort(keys)


def q40(t: Tables) -> LazyFrame:
    """Catalog sales less refunds before and after a day, by state of the warehouse."""
    day = date(1999, 2, 15)
    sales = t.catalog_sales.join(t.catalog_returns, left_on=["cs_order_number", "cs_item_sk"], right_on=["cr_order_number", "cr_item_sk"], how="left")
    sales = dated(sales, "cs_sold_date_sk", t.date_dim.filter(c.d_date.is_between(day - timedelta(30), day + timedelta(30))).select("d_date_sk", "d_date"))
    sales = sales.join(t.warehouse, left_on="cs_warehouse_sk", right_on="w_warehouse_sk").join(t.item.filter(number("i_current_price") < 100), left_on="cs_item_sk", right_on="i_item_sk")
    kept = number("cs_sales_price") - number("cr_refunded_cash").fill_null(0.0)
    before, after = (pl.when(when).then(kept).otherwise(0.0).sum() for when in (c.d_date < day, c.d_date >= day))
    return first_rows(sales.group_by("w_state", "i_item_id").agg(sales_before=before, sales_after=after), "w_state", "i_item_id")
