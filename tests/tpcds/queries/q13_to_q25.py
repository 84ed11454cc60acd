"""Queries 13 to 25: means over demographics, orders shipped from several warehouses, items bought again by other ways."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from polars import LazyFrame
from tpcds.queries.q01_to_q12 import share_of_class
from tpcds.shapes import Tables, dated, first_rows, number, rollup

c = pl.col


def q13(t: Tables) -> LazyFrame:
    """Means of store sales for couples of demographics, prices, states and profits."""
    sales = t.sold("ss", c.d_year == 2000).join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    sales = sales.join(t.customer_demographics, left_on="ss_cdemo_sk", right_on="cd_demo_sk").join(t.household_demographics, left_on="ss_hdemo_sk", right_on="hd_demo_sk")
    sales = sales.join(t.customer_address.filter(c.ca_country == "United States"), left_on="ss_addr_sk", right_on="ca_address_sk")
    married, single, widowed = (c.cd_marital_status == status for status in "MSW")
    price, profit = number("ss_sales_price"), number("ss_net_profit")
    people = (married & (price > 50) & (c.hd_dep_count == 3)) | (single & (price <= 100) & (c.hd_dep_count < 5)) | (widowed & price.is_between(50, 200))
    homes = (c.ca_state.is_in(["TX", "OH"]) & (profit > 100)) | (c.ca_state.is_in(["TN", "GA"]) & (profit < 1000)) | (c.ca_state.is_in(["CA", "WA"]) & profit.is_between(50, 3000))
    means = [number(name).mean().alias(name) for name in ("ss_quantity", "ss_ext_sales_price", "ss_ext_wholesale_cost")]
    return sales.filter(people & homes).select(*means, total=c.ss_ext_wholesale_cost.sum())


CHANNELS = {"store": ("ss", "ss_item_sk"), "catalog": ("cs", "cs_item_sk"), "web": ("ws", "ws_item_sk")}


def q14(t: Tables) -> LazyFrame:
    """Sales above the mean of items whose brand, class and category are sold in all three channels, with totals."""
    kinds = ["i_brand_id", "i_class_id", "i_category_id"]
    years = c.d_year.is_between(1999, 2001)
    of_channel = [t.sold(prefix, years).join(t.item, left_on=key, right_on="i_item_sk").select(kinds).unique() for prefix, key in CHANNELS.values()]
    shared = of_channel[0].join(of_channel[1], on=kinds, how="semi").join(of_channel[2], on=kinds, how="semi")
    items = t.item.join(shared, on=kinds).select("i_item_sk", *kinds)
    amounts = pl.concat([t.sold(prefix, years).select(amount=number(f"{prefix}_quantity") * number(f"{prefix}_list_price")) for prefix, _ in CHANNELS.values()])
    mean = amounts.select(mean=c.amount.mean())
    parts = []
    for name, (prefix, key) in CHANNELS.items():
        sales = t.sold(prefix, (c.d_year == 2001) & (c.d_moy == 2)).join(items, left_on=key, right_on="i_item_sk")
        totals = sales.group_by(kinds).agg(sales=(number(f"{prefix}_quantity") * number(f"{prefix}_list_price")).sum(), number_sales=pl.len().cast(pl.Int64))
        parts.append(totals.join(mean, how="cross").filter(c.sales > c.mean).select(channel=pl.lit(name), sales="sales", number_sales="number_sales", **{kind: kind for kind in kinds}))
    found = rollup(pl.concat(parts), ["channel", *kinds], sales=c.sales.sum(), number_sales=c.number_sales.sum())
    return first_rows(found.drop("level"), "channel", *kinds)


def q15(t: Tables) -> LazyFrame:
    """Catalog sales by zip code, where it is one of a list, or the state, or the price is high."""
    sales = t.sold("cs", (c.d_qoy == 1) & (c.d_year == 2000)).join(t.customer, left_on="cs_bill_customer_sk", right_on="c_customer_sk")
    sales = sales.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk")
    wanted = c.ca_zip.str.slice(0, 5).is_in(["85669", "86197", "88274", "24128"]) | c.ca_state.is_in(["CA", "WA", "GA"]) | (number("cs_sales_price") > 150)
    return first_rows(sales.filter(wanted).group_by("ca_zip").agg(total=c.cs_sales_price.sum()), "ca_zip")


def shipped(t: Tables, prefix: str, sales: LazyFrame, returns: LazyFrame, returned_order: str) -> LazyFrame:
    """Orders that were shipped from several warehouses and not returned."""
    order = f"{prefix}_order_number"
    every = getattr(t, {"cs": "catalog_sales", "ws": "web_sales"}[prefix])
    several = every.group_by(order).agg(count=c(f"{prefix}_warehouse_sk").n_unique()).filter(c.count > 1).select(order)
    chosen = sales.join(several, on=order, how="semi").join(returns, left_on=order, right_on=returned_order, how="anti")
    return chosen.select(order_count=c(order).n_unique(), shipping=c(f"{prefix}_ext_ship_cost").sum(), profit=c(f"{prefix}_net_profit").sum())


def q16(t: Tables) -> LazyFrame:
    """Catalog orders from several warehouses without returns: how many, and what shipping cost."""
    days = t.date_dim.filter(c.d_date.is_between(date(1999, 2, 1), date(1999, 2, 1) + timedelta(60))).select("d_date_sk")
    sales = dated(t.catalog_sales, "cs_ship_date_sk", days).join(t.customer_address.filter(c.ca_state.is_in(["GA", "TN", "OH", "TX"])), left_on="cs_ship_addr_sk", right_on="ca_address_sk")
    sales = sales.join(t.call_center.filter(c.cc_county.is_in(["Ziebach County", "Williamson County"])), left_on="cs_call_center_sk", right_on="cc_call_center_sk")
    return shipped(t, "cs", sales, t.catalog_returns, "cr_order_number")


def _bought_again(t: Tables, sold: pl.Expr, returned: pl.Expr, again: pl.Expr) -> LazyFrame:
    """What was bought in a store, returned, and bought by the same customer by catalog."""
    days = {name: t.date_dim.filter(when).select("d_date_sk") for name, when in {"sold": sold, "returned": returned, "again": again}.items()}
    sales, returns, repeats = dated(t.store_sales, "ss_sold_date_sk", days["sold"]), dated(t.store_returns, "sr_returned_date_sk", days["returned"]), dated(t.catalog_sales, "cs_sold_date_sk", days["again"])
    back = sales.join(returns, left_on=["ss_customer_sk", "ss_item_sk", "ss_ticket_number"], right_on=["sr_customer_sk", "sr_item_sk", "sr_ticket_number"])
    both = back.join(repeats, left_on=["ss_customer_sk", "ss_item_sk"], right_on=["cs_bill_customer_sk", "cs_item_sk"])
    return both.join(t.store, left_on="ss_store_sk", right_on="s_store_sk").join(t.item, left_on="ss_item_sk", right_on="i_item_sk")


def q17(t: Tables) -> LazyFrame:
    """Count, mean and deviation of quantities sold, returned and bought again, by item and state."""
    found = _bought_again(t, c.d_year.is_between(1998, 2001), c.d_year.is_between(1998, 2002), c.d_year.is_between(1998, 2002))
    measures: dict[str, pl.Expr] = {}
    for name, column in {"store_sales": "ss_quantity", "store_returns": "sr_return_quantity", "catalog_sales": "cs_quantity"}.items():
        mean, deviation = c(column).mean(), c(column).std()
        measures.update({f"{name}_count": c(column).count(), f"{name}_mean": mean, f"{name}_deviation": deviation, f"{name}_cov": deviation / mean})
    return first_rows(found.group_by("i_item_id", "i_item_desc", "s_state").agg(**measures), "i_item_id", "i_item_desc", "s_state")


def q18(t: Tables) -> LazyFrame:
    """Means of catalog sales by item and where customers live, with totals."""
    people = t.customer_demographics.filter((c.cd_gender == "F") & (c.cd_education_status != "Unknown"))
    sales = t.sold("cs", c.d_year == 1999).join(people, left_on="cs_bill_cdemo_sk", right_on="cd_demo_sk").join(t.customer.filter(c.c_birth_month.is_in([1, 6, 8, 9, 12, 2])), left_on="cs_bill_customer_sk", right_on="c_customer_sk")
    sales = sales.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk").join(t.item, left_on="cs_item_sk", right_on="i_item_sk")
    means = {f"agg{at}": number(name).mean() for at, name in enumerate(["cs_quantity", "cs_list_price", "cs_coupon_amt", "cs_sales_price", "cs_net_profit", "c_birth_year", "cd_dep_count"], 1)}
    keys = ["i_item_id", "ca_country", "ca_state", "ca_county"]
    return first_rows(rollup(sales, keys, **means), "level", "ca_country", "ca_state", "ca_county", "i_item_id")


def q19(t: Tables) -> LazyFrame:
    """Brands that are sold to customers who live elsewhere than the store is."""
    sales = t.sold("ss", (c.d_moy == 1) & (c.d_year == 1999)).join(t.item.filter(c.i_manager_id < 5), left_on="ss_item_sk", right_on="i_item_sk")
    sales = sales.join(t.customer, left_on="ss_customer_sk", right_on="c_customer_sk").join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk")
    sales = sales.join(t.store, left_on="ss_store_sk", right_on="s_store_sk").filter(c.ca_zip.str.slice(0, 5) != c.s_zip.str.slice(0, 5))
    found = sales.group_by("i_brand_id", "i_brand", "i_manufact_id", "i_manufact").agg(ext_price=c.ss_ext_sales_price.sum())
    return first_rows(found, "ext_price", "i_brand", "i_brand_id", "i_manufact_id", descending=["ext_price"])


def q20(t: Tables) -> LazyFrame:
    """Shares of revenue within classes, by catalog."""
    return share_of_class(t, "cs")


def q21(t: Tables) -> LazyFrame:
    """Items of which warehouses had about as many after a day as before it."""
    day = date(2000, 3, 11)
    stock = t.inventory.join(t.warehouse, left_on="inv_warehouse_sk", right_on="w_warehouse_sk").join(t.item, left_on="inv_item_sk", right_on="i_item_sk")
    stock = dated(stock, "inv_date_sk", t.date_dim.filter(c.d_date.is_between(day - timedelta(150), day + timedelta(150))).select("d_date_sk", "d_date"))
    before = pl.when(c.d_date < day).then(c.inv_quantity_on_hand).otherwise(0).sum()
    after = pl.when(c.d_date >= day).then(c.inv_quantity_on_hand).otherwise(0).sum()
    found = stock.group_by("w_warehouse_name", "i_item_id").agg(before=before, after=after)
    ratio = pl.when(c.before > 0).then(c.after / c.before)
    return first_rows(found.filter(ratio.is_between(2 / 3, 3 / 2)), "w_warehouse_name", "i_item_id")


def q22(t: Tables) -> LazyFrame:
    """Mean stock by product, brand, class and category, with totals."""
    stock = dated(t.inventory, "inv_date_sk", t.date_dim.filter(c.d_month_seq.is_between(1188, 1223)).select("d_date_sk")).join(t.item, left_on="inv_item_sk", right_on="i_item_sk")
    keys = ["i_product_name", "i_brand", "i_class", "i_category"]
    return first_rows(rollup(stock, keys, qoh=c.inv_quantity_on_hand.mean()).drop("level"), "qoh", *keys)


def q23(t: Tables) -> LazyFrame:
    """What the best customers spent in a month on what is often bought in stores."""
    years = c.d_year.is_in([1999, 2000, 2001])
    sales = t.sold("ss", years, "d_date").join(t.item, left_on="ss_item_sk", right_on="i_item_sk", coalesce=False)
    frequent = sales.group_by("i_item_sk", "d_date").agg(count=pl.len()).filter(c.count > 1).select("i_item_sk").unique()
    spent = (number("ss_quantity") * number("ss_sales_price")).sum()
    by_customer = t.store_sales.filter(c.ss_customer_sk.is_not_null()).group_by("ss_customer_sk").agg(spent=spent)
    greatest = t.sold("ss", years).filter(c.ss_customer_sk.is_not_null()).group_by("ss_customer_sk").agg(spent=spent).select(most=c.spent.max())
    best = by_customer.join(greatest, how="cross").filter(c.spent > 0.5 * c.most).select("ss_customer_sk")
    parts = []
    for prefix in ("cs", "ws"):
        month = t.sold(prefix, c.d_year == 2000).join(frequent, left_on=f"{prefix}_item_sk", right_on="i_item_sk", how="semi").join(best, left_on=f"{prefix}_bill_customer_sk", right_on="ss_customer_sk", how="semi")
        named = month.join(t.customer, left_on=f"{prefix}_bill_customer_sk", right_on="c_customer_sk")
        parts.append(named.group_by("c_last_name", "c_first_name").agg(sales=(number(f"{prefix}_quantity") * number(f"{prefix}_list_price")).sum()))
    return first_rows(pl.concat(parts), "c_last_name", "c_first_name", "sales")


def q24(t: Tables) -> LazyFrame:
    """Customers who paid more for items of a color than a twentieth of the mean, where they returned them."""
    back = t.store_sales.join(t.store_returns, left_on=["ss_ticket_number", "ss_item_sk"], right_on=["sr_ticket_number", "sr_item_sk"])
    people = t.customer.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk").filter(c.c_birth_country != c.ca_country.str.to_uppercase())
    shops = t.store.filter(c.s_market_id.is_in([5, 6, 7, 8]))
    sales = back.join(shops, left_on="ss_store_sk", right_on="s_store_sk").join(t.item, left_on="ss_item_sk", right_on="i_item_sk").join(people, left_on="ss_customer_sk", right_on="c_customer_sk")
    keys = ["c_last_name", "c_first_name", "s_store_name", "ca_state", "s_state", "i_color", "i_current_price", "i_manager_id", "i_units", "i_size"]
    paid = sales.group_by(keys).agg(netpaid=c.ss_net_paid.sum())
    bound = paid.select(bound=0.05 * number("netpaid").mean())
    chosen = paid.filter(c.i_color.is_in(["pale", "peach"])).group_by("c_last_name", "c_first_name", "s_store_name").agg(paid=c.netpaid.sum())
    return first_rows(chosen.join(bound, how="cross").filter(number("paid") > c.bound).drop("bound"), "c_last_name", "c_first_name", "s_store_name")


def q25(t: Tables) -> LazyFrame:
    """Profit and loss of what was bought in a store, returned, and bought again by catalog."""
    found = _bought_again(t, c.d_year.is_in([1999, 2000]), c.d_year.is_in([1999, 2000, 2001]), c.d_year >= 1999)
    keys = ["i_item_id", "i_item_desc", "s_store_id", "s_store_name"]
    return first_rows(found.group_by(keys).agg(store=c.ss_net_profit.sum(), returns=c.sr_net_loss.sum(), catalog=c.cs_net_profit.sum()), *keys)


def q29(t: Tables) -> LazyFrame:
    """Quantities of what was bought in a store, returned, and bought again by catalog."""
    found = _bought_again(t, c.d_year.is_in([1998, 1999, 2000]), c.d_year >= 1998, c.d_year.is_in([1999, 2000, 2001]))
    keys = ["i_item_id", "i_item_desc", "s_store_id", "s_store_name"]
    return first_rows(found.group_by(keys).agg(store=c.ss_quantity.max(), returns=c.sr_return_quantity.max(), catalog=c.cs_quantity.max()), *keys)
