"""Queries 76 to 99: sales without a key, returns by reason, counts by half hours, orders that were shipped twice."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from polars import LazyFrame
from tpcds.queries.q01_to_q12 import share_of_class
from tpcds.queries.q13_to_q25 import shipped
from tpcds.queries.q26_to_q40 import excess_discount, in_stock, returned_much, margins
from tpcds.shapes import Tables, dated, first_rows, number, rollup

c = pl.col


def q76(t: Tables) -> LazyFrame:
    """Sales that lack a key, by channel, year, quarter and category."""
    parts = []
    for name, prefix, key in (("store", "ss", "ss_store_sk"), ("web", "ws", "ws_ship_customer_sk"), ("catalog", "cs", "cs_ship_addr_sk")):
        sales = t.sold(prefix, c.d_year > 0, "d_year", "d_qoy").filter(c(key).is_null()).join(t.item, left_on=f"{prefix}_item_sk", right_on="i_item_sk")
        parts.append(sales.select(channel=pl.lit(name), col_name=pl.lit(key), d_year="d_year", d_qoy="d_qoy", i_category="i_category", price=f"{prefix}_ext_sales_price"))
    keys = ["channel", "col_name", "d_year", "d_qoy", "i_category"]
    return first_rows(pl.concat(parts).group_by(keys).agg(sales_cnt=pl.len(), sales_amt=c.price.sum()), *keys)


def q78(t: Tables) -> LazyFrame:
    """What customers bought in stores and did not return, beside what they bought elsewhere."""

    def kept(prefix: str, returns: LazyFrame, left: list[str], right: list[str], customer: str) -> LazyFrame:
        sales = t.sold(prefix, c.d_year.is_in([1999, 2000]), "d_year").join(returns, left_on=left, right_on=right, how="anti")
        sums = {f"{prefix}_qty": c(f"{prefix}_quantity").sum(), f"{prefix}_wc": c(f"{prefix}_wholesale_cost").sum(), f"{prefix}_sp": c(f"{prefix}_sales_price").sum()}
        return sales.group_by(year="d_year", item=f"{prefix}_item_sk", customer=customer).agg(**sums)

    store = kept("ss", t.store_returns, ["ss_ticket_number", "ss_item_sk"], ["sr_ticket_number", "sr_item_sk"], "ss_customer_sk")
    web = kept("ws", t.web_returns, ["ws_order_number", "ws_item_sk"], ["wr_order_number", "wr_item_sk"], "ws_bill_customer_sk")
    catalog = kept("cs", t.catalog_returns, ["cs_order_number", "cs_item_sk"], ["cr_order_number", "cr_item_sk"], "cs_bill_customer_sk")
    keys = ["year", "item", "customer"]
    both = store.join(web, on=keys, how="left").join(catalog, on=keys, how="left").filter((c.ws_qty.fill_null(0) > 0) | (c.cs_qty.fill_null(0) > 0))
    other = c.ws_qty.fill_null(0) + c.cs_qty.fill_null(0)
    found = both.select(*keys, "ss_qty", "ss_wc", "ss_sp", ratio=(c.ss_qty / other).round(2), other_qty=other)
    return first_rows(found, *keys, "ss_qty", descending=["ss_qty"])


def q79(t: Tables) -> LazyFrame:
    """Coupons and profit of tickets on Mondays in stores of a size."""
    shops, households = t.store.filter(c.s_number_employees.is_between(200, 295)), t.household_demographics.filter((c.hd_dep_count == 6) | (c.hd_vehicle_count > 2))
    sales = t.sold("ss", (c.d_dow == 1) & c.d_year.is_in([1999, 2000, 2001])).join(shops, left_on="ss_store_sk", right_on="s_store_sk").join(households, left_on="ss_hdemo_sk", right_on="hd_demo_sk")
    tickets = sales.group_by("ss_ticket_number", "ss_customer_sk", "ss_addr_sk", "s_city").agg(amt=c.ss_coupon_amt.sum(), profit=c.ss_net_profit.sum())
    found = tickets.join(t.customer, left_on="ss_customer_sk", right_on="c_customer_sk").select("c_last_name", "c_first_name", c.s_city.str.slice(0, 30).alias("city"), "ss_ticket_number", "amt", "profit")
    return first_rows(found, "c_last_name", "c_first_name", "city", "profit")


def q80(t: Tables) -> LazyFrame:
    """Promoted sales, returns and profit by channel and outlet, with totals."""
    days = c.d_date.is_between(date(1999, 2, 1), date(1999, 3, 2))
    items, offers = t.item.filter(number("i_current_price") > 50).select("i_item_sk"), t.promotion.filter(c.p_channel_tv == "N").select("p_promo_sk")
    channels = {
        "store channel": ("ss", t.store_returns, ["ss_item_sk", "ss_ticket_number"], ["sr_item_sk", "sr_ticket_number"], "sr_return_amt", "sr_net_loss", t.store.select(outlet="s_store_sk", id=pl.concat_str(pl.lit("store"), "s_store_id")), "ss_store_sk"),
        "catalog channel": ("cs", t.catalog_returns, ["cs_item_sk", "cs_order_number"], ["cr_item_sk", "cr_order_number"], "cr_return_amount", "cr_net_loss", t.catalog_page.select(outlet="cp_catalog_page_sk", id=pl.concat_str(pl.lit("catalog_page"), "cp_catalog_page_id")), "cs_catalog_page_sk"),
        "web channel": ("ws", t.web_returns, ["ws_item_sk", "ws_order_number"], ["wr_item_sk", "wr_order_number"], "wr_return_amt", "wr_net_loss", t.web_site.select(outlet="web_site_sk", id=pl.concat_str(pl.lit("web_site"), "web_site_id")), "ws_web_site_sk"),
    }
    parts = []
    for name, (prefix, returns, left, right, amount, loss, outlets, key) in channels.items():
        sales = t.sold(prefix, days).join(returns, left_on=left, right_on=right, how="left").join(items, left_on=f"{prefix}_item_sk", right_on="i_item_sk", how="semi").join(offers, left_on=f"{prefix}_promo_sk", right_on="p_promo_sk", how="semi").join(outlets, left_on=key, right_on="outlet")
        totals = sales.group_by("id").agg(sales=number(c(f"{prefix}_ext_sales_price").sum()), returns=number(amount).fill_null(0.0).sum(), profit=(number(f"{prefix}_net_profit") - number(loss).fill_null(0.0)).sum())
        parts.append(totals.select(pl.lit(name).alias("channel"), "id", "sales", "returns", "profit"))
    return first_rows(rollup(pl.concat(parts), ["channel", "id"], sales=c.sales.sum(), returns=c.returns.sum(), profit=c.profit.sum()).drop("level"), "channel", "id")


def q81(t: Tables) -> LazyFrame:
    """Customers whose returns by catalog are a fifth above the mean of a state."""
    returns = dated(t.catalog_returns, "cr_returned_date_sk", t.date_dim.filter(c.d_year == 1999).select("d_date_sk"))
    return first_rows(returned_much(t, returns, "cr_returning_customer_sk", "cr_returning_addr_sk", "cr_return_amt_inc_tax"), "c_customer_id")


def q82(t: Tables) -> LazyFrame:
    """Items in stock that are sold in stores."""
    return in_stock(t, "ss")


def q83(t: Tables) -> LazyFrame:
    """Shares of the three channels in returns of items in some weeks."""
    weeks = t.date_dim.filter(c.d_date.is_in([date(1999, 3, 10), date(1999, 4, 28), date(1999, 5, 17), date(2000, 3, 1)])).select("d_week_seq").unique()
    days = t.date_dim.join(weeks, on="d_week_seq", how="semi").select("d_date_sk")
    parts = {}
    for name, frame in {"sr": t.store_returns, "cr": t.catalog_returns, "wr": t.web_returns}.items():
        returns = dated(frame, f"{name}_returned_date_sk", days).join(t.item, left_on=f"{name}_item_sk", right_on="i_item_sk")
        parts[name] = returns.group_by("i_item_id").agg(c(f"{name}_return_quantity").sum().alias(name))
    both = parts["sr"].join(parts["cr"], on="i_item_id", how="full", coalesce=True).join(parts["wr"], on="i_item_id", how="full", coalesce=True)
    total = pl.sum_horizontal("sr", "cr", "wr")
    return first_rows(both.select("i_item_id", *(expression for name in parts for expression in (c(name), (c(name) / total / 3 * 100).alias(f"{name}_dev"))), average=total / 3.0), "i_item_id", "sr")


def q84(t: Tables) -> LazyFrame:
    """Customers of a city and an income who returned something to a store."""
    bands = t.income_band.filter((c.ib_lower_bound >= 30_000) & (c.ib_upper_bound <= 180_000))
    people = t.customer.join(t.customer_address.filter(c.ca_city == "Midway"), left_on="c_current_addr_sk", right_on="ca_address_sk").join(t.household_demographics, left_on="c_current_hdemo_sk", right_on="hd_demo_sk")
    people = people.join(bands, left_on="hd_income_band_sk", right_on="ib_income_band_sk").join(t.store_returns, left_on="c_current_cdemo_sk", right_on="sr_cdemo_sk")
    name = pl.concat_str(c.c_last_name.fill_null(""), c.c_first_name.fill_null(""), separator=", ")
    return first_rows(people.select("c_customer_id", customername=name), "c_customer_id")


def q85(t: Tables) -> LazyFrame:
    """Means of returns on the web by reason, for couples of demographics."""
    returns = t.web_returns.join(t.web_sales, left_on=["wr_item_sk", "wr_order_number"], right_on=["ws_item_sk", "ws_order_number"]).join(t.web_page, left_on="ws_web_page_sk", right_on="wp_web_page_sk")
    returns = returns.join(t.date_dim.filter(c.d_year.is_in([1999, 2000])).select("d_date_sk"), left_on="ws_sold_date_sk", right_on="d_date_sk")
    one = t.customer_demographics.select("cd_demo_sk", "cd_marital_status", "cd_education_status")
    both = returns.join(one, left_on="wr_refunded_cdemo_sk", right_on="cd_demo_sk").join(one, left_on="wr_returning_cdemo_sk", right_on="cd_demo_sk", suffix="_other")
    both = both.join(t.customer_address.filter(c.ca_country == "United States"), left_on="wr_refunded_addr_sk", right_on="ca_address_sk").join(t.reason, left_on="wr_reason_sk", right_on="r_reason_sk")
    price, profit = number("ws_sales_price"), number("ws_net_profit")
    people = (c.cd_marital_status == c.cd_marital_status_other) & (c.cd_education_status == c.cd_education_status_other) & ((c.cd_marital_status.is_in(["M", "S"]) & (price <= 150)) | (c.cd_marital_status == "W") | price.is_between(50, 200))
    homes = (c.ca_state.is_in(["GA", "TN", "OH"]) & (profit < 5000)) | (c.ca_state.is_in(["TX", "CA", "WA"]) & (profit > -5000))
    means = {"quantity": c.ws_quantity.mean(), "refunded": number("wr_refunded_cash").mean(), "fee": number("wr_fee").mean()}
    found = both.filter(people & homes).group_by("r_reason_desc").agg(**means).with_columns(reason=c.r_reason_desc.str.slice(0, 20)).drop("r_reason_desc")
    return first_rows(found, "reason", "quantity", "refunded", "fee")


def q86(t: Tables) -> LazyFrame:
    """What was paid on the web along the hierarchy of items, ranked among siblings."""
    sales = t.sold("ws", c.d_month_seq.is_between(1188, 1199)).join(t.item, left_on="ws_item_sk", right_on="i_item_sk")
    return margins(t, "ws", sales, "ws_net_paid", "ws_quantity")


def q88(t: Tables) -> LazyFrame:
    """How many sales there were in each half hour of a morning in one store."""
    households = t.household_demographics.filter(((c.hd_dep_count == 4) & (c.hd_vehicle_count <= 6)) | ((c.hd_dep_count == 2) & (c.hd_vehicle_count <= 4)) | (c.hd_dep_count == 0)).select("hd_demo_sk")
    sales = t.store_sales.join(households, left_on="ss_hdemo_sk", right_on="hd_demo_sk").join(t.store.filter(c.s_store_name == "ese").select("s_store_sk"), left_on="ss_store_sk", right_on="s_store_sk")
    made: LazyFrame | None = None
    for half in range(17, 25):
        times = t.time_dim.filter((c.t_hour == half // 2) & ((c.t_minute >= 30) if half % 2 else (c.t_minute < 30))).select("t_time_sk")
        counted = sales.join(times, left_on="ss_sold_time_sk", right_on="t_time_sk").select(pl.len().alias(f"h{half // 2}_{30 * (half % 2)}"))
        made = counted if made is None else made.join(counted, how="cross")
    assert made is not None
    return made


def q89(t: Tables) -> LazyFrame:
    """Months in which sales of a class in a store were off the mean of the year."""
    kinds = (c.i_category.is_in(["Books", "Electronics", "Sports"]) & c.i_class.is_in(["computers", "football", "fiction"])) | (c.i_category.is_in(["Men", "Jewelry", "Women"]) & c.i_class.is_in(["pants", "dresses", "golf"]))
    sales = t.sold("ss", c.d_year == 1999, "d_moy").join(t.item.filter(kinds), left_on="ss_item_sk", right_on="i_item_sk").join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    found = sales.group_by("i_category", "i_class", "i_brand", "s_store_name", "s_company_name", "d_moy").agg(sum_sales=c.ss_sales_price.sum())
    found = found.with_columns(mean=number("sum_sales").mean().over("i_category", "i_brand", "s_store_name", "s_company_name"))
    off = pl.when(c.mean != 0).then((number("sum_sales") - c.mean).abs() / c.mean)
    found = found.filter(off > 0.1).with_columns(difference=number("sum_sales") - c.mean)
    return first_rows(found, "difference", "s_store_name", "i_category", "i_class", "d_moy")


def q90(t: Tables) -> LazyFrame:
    """Sales on the web in the morning for each in the evening."""
    households, pages = t.household_demographics.filter(c.hd_dep_count.is_in([2, 6])).select("hd_demo_sk"), t.web_page.filter(c.wp_char_count.is_between(5000, 5300)).select("wp_web_page_sk")
    sales = t.web_sales.join(households, left_on="ws_ship_hdemo_sk", right_on="hd_demo_sk").join(pages, left_on="ws_web_page_sk", right_on="wp_web_page_sk").join(t.time_dim, left_on="ws_sold_time_sk", right_on="t_time_sk")
    morning, evening = (sales.filter(c.t_hour.is_between(hour, hour + 3)).select(pl.len().alias(name)) for name, hour in (("amc", 8), ("pmc", 19)))
    return morning.join(evening, how="cross").select(am_pm_ratio=pl.when(c.pmc > 0).then(c.amc / c.pmc))


def q91(t: Tables) -> LazyFrame:
    """Losses of call centers by returns of chosen demographics in a month."""
    people = t.customer.join(t.customer_demographics.filter(((c.cd_marital_status == "M") & (c.cd_education_status != "College")) | ((c.cd_marital_status == "W") & (c.cd_education_status != "Unknown"))), left_on="c_current_cdemo_sk", right_on="cd_demo_sk")
    people = people.join(t.household_demographics.filter(c.hd_buy_potential.str.starts_with("Un") | c.hd_buy_potential.str.contains(">10", literal=True)), left_on="c_current_hdemo_sk", right_on="hd_demo_sk").join(t.customer_address.filter(c.ca_gmt_offset.is_in([-7, -6, -5])), left_on="c_current_addr_sk", right_on="ca_address_sk")
    returns = dated(t.catalog_returns, "cr_returned_date_sk", t.date_dim.filter(c.d_year == 1999).select("d_date_sk")).join(t.call_center, left_on="cr_call_center_sk", right_on="cc_call_center_sk").join(people, left_on="cr_returning_customer_sk", right_on="c_customer_sk")
    keys = ["cc_call_center_id", "cc_name", "cc_manager", "cd_marital_status", "cd_education_status"]
    return first_rows(returns.group_by(keys).agg(returns_loss=c.cr_net_loss.sum()), "returns_loss", *keys, descending=["returns_loss"])


def q92(t: Tables) -> LazyFrame:
    """Excessive discounts on the web."""
    return excess_discount(t, "ws")


def q93(t: Tables) -> LazyFrame:
    """What customers bought of what they did not return for one reason."""
    returns = t.store_returns.join(t.reason.filter(c.r_reason_desc == "reason 28"), left_on="sr_reason_sk", right_on="r_reason_sk", how="semi").select("sr_item_sk", "sr_ticket_number", "sr_return_quantity", returned=pl.lit(True))
    sales = t.store_sales.join(returns, left_on=["ss_item_sk", "ss_ticket_number"], right_on=["sr_item_sk", "sr_ticket_number"], how="left")
    price = number("ss_sales_price")
    actual = pl.when(c.sr_return_quantity.is_not_null()).then((c.ss_quantity - c.sr_return_quantity) * price).otherwise(c.ss_quantity * price)
    return first_rows(sales.filter(c.returned).group_by("ss_customer_sk").agg(sumsales=actual.sum()), "sumsales", "ss_customer_sk")


def _web_orders(t: Tables) -> LazyFrame:
    """Orders on the web that were shipped within two months to some states."""
    days = t.date_dim.filter(c.d_date.is_between(date(1999, 2, 1), date(1999, 2, 1) + timedelta(60))).select("d_date_sk")
    sales = dated(t.web_sales, "ws_ship_date_sk", days).join(t.customer_address.filter(c.ca_state.is_in(["GA", "TN", "CA", "KY", "OH"])), left_on="ws_ship_addr_sk", right_on="ca_address_sk")
    return sales.join(t.web_site.filter(c.web_company_name == "pri"), left_on="ws_web_site_sk", right_on="web_site_sk")


def q94(t: Tables) -> LazyFrame:
    """Web orders from several warehouses without returns: how many, and what shipping cost."""
    return shipped(t, "ws", _web_orders(t), t.web_returns, "wr_order_number")


def q95(t: Tables) -> LazyFrame:
    """Web orders from several warehouses that were returned: how many, and what shipping cost."""
    pairs = t.web_sales.select("ws_order_number", "ws_warehouse_sk").join(t.web_sales.select("ws_order_number", "ws_warehouse_sk"), on="ws_order_number", suffix="_other")
    several = pairs.filter(c.ws_warehouse_sk != c.ws_warehouse_sk_other).select("ws_order_number").unique()
    returned = t.web_returns.join(several, left_on="wr_order_number", right_on="ws_order_number", how="semi").select("wr_order_number").unique()
    chosen = _web_orders(t).join(several, on="ws_order_number", how="semi").join(returned, left_on="ws_order_number", right_on="wr_order_number", how="semi")
    return chosen.select(order_count=c.ws_order_number.n_unique(), shipping=c.ws_ext_ship_cost.sum(), profit=c.ws_net_profit.sum())


def q96(t: Tables) -> LazyFrame:
    """How many sales a store had in half an hour of an evening."""
    times, households = t.time_dim.filter((c.t_hour == 20) & (c.t_minute >= 30)).select("t_time_sk"), t.household_demographics.filter(c.hd_dep_count < 8).select("hd_demo_sk")
    sales = t.store_sales.join(times, left_on="ss_sold_time_sk", right_on="t_time_sk").join(households, left_on="ss_hdemo_sk", right_on="hd_demo_sk").join(t.store.filter(c.s_store_name == "ese"), left_on="ss_store_sk", right_on="s_store_sk")
    return sales.select(count=pl.len())


def q97(t: Tables) -> LazyFrame:
    """How many couples of customer and item were sold in stores only, by catalog only, and in both."""
    days = c.d_month_seq.is_between(1188, 1210)
    store = t.sold("ss", days).select(customer="ss_customer_sk", item="ss_item_sk").unique().with_columns(in_store=pl.lit(True))
    catalog = t.sold("cs", days).select(customer="cs_bill_customer_sk", item="cs_item_sk").unique().with_columns(in_catalog=pl.lit(True))
    both = store.join(catalog, on=["customer", "item"], how="full", coalesce=True)
    one, other = c.in_store.is_not_null(), c.in_catalog.is_not_null()
    return both.select(store_only=(one & ~other).sum(), catalog_only=(~one & other).sum(), store_and_catalog=(one & other).sum())


def q98(t: Tables) -> LazyFrame:
    """Shares of revenue within classes, in stores."""
    return share_of_class(t, "ss")
