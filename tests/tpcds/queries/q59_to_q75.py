"""Queries 59 to 75: weeks beside those of the next year, promotions, ranks within a category, rollups of eight keys."""

from __future__ import annotations

from datetime import date

import polars as pl
from polars import LazyFrame
from tpcds.queries.q01_to_q12 import DAY_NAMES
from tpcds.queries.q26_to_q40 import baskets
from tpcds.shapes import Tables, dated, first_rows, number, rollup

c = pl.col


def q59(t: Tables) -> LazyFrame:
    """Sales of stores by weekday, beside those of the week a year later."""
    sales = t.store_sales.join(t.date_dim, left_on="ss_sold_date_sk", right_on="d_date_sk")
    weeks = sales.group_by("d_week_seq", "ss_store_sk").agg(c.ss_sales_price.filter(c.d_day_name == name).sum().alias(name) for name in DAY_NAMES)

    def year(first: int) -> LazyFrame:
        some = t.date_dim.filter(c.d_month_seq.is_between(first, first + 11)).select("d_week_seq").unique()
        return weeks.join(some, on="d_week_seq").join(t.store, left_on="ss_store_sk", right_on="s_store_sk").select("s_store_name", "s_store_id", "d_week_seq", *DAY_NAMES)

    both = year(1188).join(year(1200).with_columns(c.d_week_seq - 52), on=["s_store_id", "d_week_seq"], suffix="_next")
    shares = [(number(name) / number(f"{name}_next")).alias(name) for name in DAY_NAMES]
    return first_rows(both.select("s_store_name", "s_store_id", "d_week_seq", *shares), "s_store_name", "s_store_id", "d_week_seq")


def q61(t: Tables) -> LazyFrame:
    """Which share of sales of a category in a month were promoted."""
    days, items = (c.d_year == 1999) & (c.d_moy == 2), t.item.filter(c.i_category == "Jewelry")
    sales = t.sold("ss", days).join(items, left_on="ss_item_sk", right_on="i_item_sk").join(t.store.filter(c.s_gmt_offset == -5), left_on="ss_store_sk", right_on="s_store_sk")
    sales = sales.join(t.customer, left_on="ss_customer_sk", right_on="c_customer_sk").join(t.customer_address.filter(c.ca_gmt_offset == -5), left_on="c_current_addr_sk", right_on="ca_address_sk")
    promoted = sales.join(t.promotion.filter((c.p_channel_dmail == "Y") | (c.p_channel_email == "Y") | (c.p_channel_tv == "Y")), left_on="ss_promo_sk", right_on="p_promo_sk")
    both = promoted.select(promotions=number(c.ss_ext_sales_price.sum())).join(sales.select(total=number(c.ss_ext_sales_price.sum())), how="cross")
    return both.with_columns(share=c.promotions / c.total * 100)


def _days_to_ship(t: Tables, prefix: str, outlet: LazyFrame, key: str, right: str, name: str) -> LazyFrame:
    """How long orders waited, by warehouse, way of shipping and outlet."""
    sales = dated(getattr(t, {"ws": "web_sales", "cs": "catalog_sales"}[prefix]), f"{prefix}_ship_date_sk", t.date_dim.filter(c.d_month_seq.is_between(1188, 1199)).select("d_date_sk").with_columns(ship=c.d_date_sk))
    sales = sales.join(t.warehouse, left_on=f"{prefix}_warehouse_sk", right_on="w_warehouse_sk").join(t.ship_mode, left_on=f"{prefix}_ship_mode_sk", right_on="sm_ship_mode_sk").join(outlet, left_on=key, right_on=right)
    days = c.ship - c(f"{prefix}_sold_date_sk")
    spans = {"d30": days <= 30, "d60": (days > 30) & (days <= 60), "d90": (days > 60) & (days <= 90), "d120": (days > 90) & (days <= 120), "later": days > 120}
    counted = {span: pl.when(within).then(1).otherwise(0).sum() for span, within in spans.items()}
    found = sales.group_by(c.w_warehouse_name.str.slice(0, 20).alias("warehouse"), "sm_type", name).agg(**counted)
    return first_rows(found, "warehouse", "sm_type", name)


def q62(t: Tables) -> LazyFrame:
    """How long web orders waited to be shipped."""
    return _days_to_ship(t, "ws", t.web_site, "ws_web_site_sk", "web_site_sk", "web_name")


def q99(t: Tables) -> LazyFrame:
    """How long catalog orders waited to be shipped."""
    return _days_to_ship(t, "cs", t.call_center, "cs_call_center_sk", "cc_call_center_sk", "cc_name")


def q64(t: Tables) -> LazyFrame:
    """Items that a store sold, and took back, in two years that follow one another, with who bought them and where they live."""
    totals = t.catalog_sales.join(t.catalog_returns, left_on=["cs_item_sk", "cs_order_number"], right_on=["cr_item_sk", "cr_order_number"])
    refunds = number("cr_refunded_cash") + number("cr_reversed_charge") + number("cr_store_credit")
    good = totals.group_by("cs_item_sk").agg(sale=number(c.cs_ext_list_price.sum()), refund=refunds.sum()).filter(c.sale > 2 * c.refund).select("cs_item_sk")
    people = (
        t.customer.join(t.customer_demographics.select("cd_demo_sk", now="cd_marital_status"), left_on="c_current_cdemo_sk", right_on="cd_demo_sk")
        .join(t.household_demographics.join(t.income_band, left_on="hd_income_band_sk", right_on="ib_income_band_sk").select("hd_demo_sk"), left_on="c_current_hdemo_sk", right_on="hd_demo_sk")
        .join(t.customer_address.select("ca_address_sk", c_city="ca_city", c_zip="ca_zip"), left_on="c_current_addr_sk", right_on="ca_address_sk")
        .join(t.date_dim.select("d_date_sk", first_sale="d_year"), left_on="c_first_sales_date_sk", right_on="d_date_sk")
        .join(t.date_dim.select("d_date_sk", first_ship="d_year"), left_on="c_first_shipto_date_sk", right_on="d_date_sk")
        .select("c_customer_sk", "now", "c_city", "c_zip", "first_sale", "first_ship")
    )
    sales = (
        t.store_sales.join(t.store_returns, left_on=["ss_item_sk", "ss_ticket_number"], right_on=["sr_item_sk", "sr_ticket_number"], how="semi")
        .join(good, left_on="ss_item_sk", right_on="cs_item_sk", how="semi")
        .join(t.date_dim.select("d_date_sk", "d_year"), left_on="ss_sold_date_sk", right_on="d_date_sk")
        .join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
        .join(t.customer_demographics.select("cd_demo_sk", then="cd_marital_status"), left_on="ss_cdemo_sk", right_on="cd_demo_sk")
        .join(t.promotion.select("p_promo_sk"), left_on="ss_promo_sk", right_on="p_promo_sk")
        .join(t.customer_address.select("ca_address_sk", b_city="ca_city", b_zip="ca_zip"), left_on="ss_addr_sk", right_on="ca_address_sk")
        .join(people, left_on="ss_customer_sk", right_on="c_customer_sk")
        .filter(c.then != c.now)
        .join(t.item.filter(c.i_color.is_in(["red", "slate", "pale", "peach", "orchid", "saddle"])), left_on="ss_item_sk", right_on="i_item_sk", coalesce=False)
    )
    keys = ["i_product_name", "i_item_sk", "s_store_name", "s_zip", "d_year"]
    years = sales.group_by(keys).agg(cnt=pl.len(), s1=c.ss_wholesale_cost.sum(), s2=c.ss_list_price.sum(), s3=c.ss_coupon_amt.sum(), city=c.b_city.min())
    pairs = years.join(years.with_columns(c.d_year - 1), on=["i_item_sk", "s_store_name", "s_zip", "d_year"], suffix="_next").filter(c.cnt_next <= c.cnt)
    return first_rows(pairs, "i_product_name", "s_store_name", "cnt_next")


def q65(t: Tables) -> LazyFrame:
    """Items whose revenue in a store is at most a tenth of the mean of that store."""
    revenue = t.sold("ss", c.d_month_seq.is_between(1188, 1199)).group_by("ss_store_sk", "ss_item_sk").agg(revenue=number(c.ss_sales_price.sum()))
    means = revenue.group_by("ss_store_sk").agg(mean=c.revenue.mean())
    low = revenue.join(means, on="ss_store_sk").filter(c.revenue <= 0.1 * c.mean)
    found = low.join(t.store, left_on="ss_store_sk", right_on="s_store_sk").join(t.item, left_on="ss_item_sk", right_on="i_item_sk")
    return first_rows(found.select("s_store_name", "i_item_desc", "revenue", "i_current_price", "i_wholesale_cost", "i_brand"), "s_store_name", "i_item_desc")


def q66(t: Tables) -> LazyFrame:
    """Sales of each month by warehouse, for two carriers, also by square foot."""
    parts = []
    modes = t.ship_mode.filter(c.sm_carrier.is_in(["DHL", "BARIAN"])).select("sm_ship_mode_sk")
    hours = t.time_dim.filter(c.t_time.is_between(30_838, 30_838 + 28_800)).select("t_time_sk")
    keys = ["w_warehouse_name", "w_warehouse_sq_ft", "w_city", "w_county", "w_state", "w_country"]
    for prefix in ("ws", "cs"):
        sales = t.sold(prefix, c.d_year == 1999, "d_moy").join(hours, left_on=f"{prefix}_sold_time_sk", right_on="t_time_sk").join(modes, left_on=f"{prefix}_ship_mode_sk", right_on="sm_ship_mode_sk")
        sales = sales.join(t.warehouse, left_on=f"{prefix}_warehouse_sk", right_on="w_warehouse_sk")
        gross = number(f"{prefix}_ext_sales_price") * c(f"{prefix}_quantity")
        net = number(f"{prefix}_net_paid") * c(f"{prefix}_quantity")
        months: dict[str, pl.Expr] = {}
        for month in range(1, 13):
            within = c.d_moy == month
            months[f"sales{month}"] = pl.when(within).then(gross).otherwise(0.0).sum()
            months[f"net{month}"] = pl.when(within).then(net).otherwise(0.0).sum()
        parts.append(sales.group_by(keys).agg(**months))
    sums = {f"sales{month}": c(f"sales{month}").sum() for month in range(1, 13)} | {f"per_foot{month}": (c(f"sales{month}") / c.w_warehouse_sq_ft).sum() for month in range(1, 13)} | {f"net{month}": c(f"net{month}").sum() for month in range(1, 13)}
    found = pl.concat(parts).group_by(keys).agg(**sums).with_columns(ship_carriers=pl.concat_str(pl.lit("DHL"), pl.lit("BARIAN"), separator=","), year=pl.lit(1999))
    return first_rows(found, "w_warehouse_name", "w_warehouse_sq_ft")


def q67(t: Tables) -> LazyFrame:
    """The best of each category in a rollup of eight keys."""
    sales = t.sold("ss", c.d_month_seq.is_between(1188, 1199), "d_year", "d_qoy", "d_moy").join(t.item, left_on="ss_item_sk", right_on="i_item_sk").join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    keys = ["i_category", "i_class", "i_brand", "i_product_name", "d_year", "d_qoy", "d_moy", "s_store_id"]
    found = rollup(sales, keys, sumsales=(c.ss_sales_price * c.ss_quantity).fill_null(0).sum()).drop("level")
    ranked = found.with_columns(rk=c.sumsales.rank("min", descending=True).over("i_category"))
    return first_rows(ranked.filter(c.rk <= 20), *keys, "sumsales", "rk")


def q69(t: Tables) -> LazyFrame:
    """Demographics of customers of some states who buy in stores only."""
    days = (c.d_year == 1999) & c.d_moy.is_between(1, 3)
    homes = t.customer_address.filter(c.ca_state.is_in(["KY", "GA", "TX", "TN"])).select("ca_address_sk")
    people = t.customer.join(homes, left_on="c_current_addr_sk", right_on="ca_address_sk").join(t.sold("ss", days), left_on="c_customer_sk", right_on="ss_customer_sk", how="semi")
    people = people.join(t.sold("ws", days), left_on="c_customer_sk", right_on="ws_bill_customer_sk", how="anti").join(t.sold("cs", days), left_on="c_customer_sk", right_on="cs_ship_customer_sk", how="anti")
    names = ["cd_gender", "cd_marital_status", "cd_education_status", "cd_purchase_estimate", "cd_credit_rating"]
    return first_rows(people.join(t.customer_demographics, left_on="c_current_cdemo_sk", right_on="cd_demo_sk").group_by(names).agg(cnt=pl.len()), *names)


def q70(t: Tables) -> LazyFrame:
    """Profit by state and county of the five best states, with totals and ranks among siblings."""
    sales = t.sold("ss", c.d_month_seq.is_between(1188, 1199)).join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    best = sales.group_by("s_state").agg(profit=c.ss_net_profit.sum()).with_columns(rank=c.profit.rank("min", descending=True)).filter(c.rank <= 5).select("s_state")
    found = rollup(sales.join(best, on="s_state", how="semi"), ["s_state", "s_county"], total_sum=c.ss_net_profit.sum())
    found = found.with_columns(parent=pl.when(c.level == 0).then(c.s_state)).with_columns(rank=c.total_sum.rank("min", descending=True).over("level", "parent")).drop("parent")
    return first_rows(found, "level", "s_state", "rank", "s_county", descending=["level"])


def q71(t: Tables) -> LazyFrame:
    """Sales of brands at breakfast and dinner, by hour and minute, in all channels."""
    month, parts = (c.d_year == 1999) & (c.d_moy <= 2), []
    for prefix in ("ws", "cs", "ss"):
        parts.append(t.sold(prefix, month).select(price=f"{prefix}_ext_sales_price", item=f"{prefix}_item_sk", time=f"{prefix}_sold_time_sk"))
    sales = pl.concat(parts).join(t.item.filter(c.i_manager_id == 1), left_on="item", right_on="i_item_sk").join(t.time_dim.filter(c.t_meal_time.is_in(["breakfast", "dinner"])), left_on="time", right_on="t_time_sk")
    return sales.group_by("i_brand_id", "i_brand", "t_hour", "t_minute").agg(ext_price=c.price.sum()).sort("ext_price", "i_brand_id", "t_hour", "t_minute", descending=[True, False, False, False])


def q72(t: Tables) -> LazyFrame:
    """Items that were ordered by catalog and short in stock in the same week, with and without promotion."""
    sales = t.sold("cs", c.d_year == 1999, "d_date", "d_week_seq").join(t.customer_demographics.filter(c.cd_marital_status.is_in(["D", "M", "S"])), left_on="cs_bill_cdemo_sk", right_on="cd_demo_sk")
    sales = sales.join(t.household_demographics.filter(c.hd_buy_potential.is_in([">10000", "0-500", "Unknown"])), left_on="cs_bill_hdemo_sk", right_on="hd_demo_sk")
    sales = sales.join(t.date_dim.select("d_date_sk", ship_date="d_date"), left_on="cs_ship_date_sk", right_on="d_date_sk").filter(c.ship_date > c.d_date.dt.offset_by("5d"))
    stock = t.inventory.join(t.date_dim.select("d_date_sk", "d_week_seq"), left_on="inv_date_sk", right_on="d_date_sk").join(t.warehouse, left_on="inv_warehouse_sk", right_on="w_warehouse_sk")
    short = sales.join(stock, left_on=["cs_item_sk"], right_on=["inv_item_sk"], suffix="_stock").filter((c.inv_quantity_on_hand < c.cs_quantity) & ((c.d_week_seq - c.d_week_seq_stock).abs() <= 3))
    found = short.join(t.item, left_on="cs_item_sk", right_on="i_item_sk").join(t.promotion.select("p_promo_sk", promoted=pl.lit(1)), left_on="cs_promo_sk", right_on="p_promo_sk", how="left")
    counts = {"no_promo": pl.when(c.promoted.is_null()).then(1).otherwise(0).sum(), "promo": pl.when(c.promoted.is_not_null()).then(1).otherwise(0).sum(), "total_cnt": pl.len()}
    return first_rows(found.group_by("i_item_desc", "w_warehouse_name", "d_week_seq").agg(**counts), "total_cnt", "i_item_desc", "w_warehouse_name", "d_week_seq", descending=["total_cnt"])


def q73(t: Tables) -> LazyFrame:
    """Small baskets in the first days of months."""
    found = baskets(t, c.d_dom.is_between(1, 12) & c.d_year.is_in([1999, 2000, 2001]), 1, 5)
    return first_rows(found, "cnt", "c_last_name", descending=["cnt"], count=1000)


def q74(t: Tables) -> LazyFrame:
    """Customers whose spending on the web grew more than in stores, by what they paid."""

    def totals(prefix: str, customer: str) -> LazyFrame:
        sales = t.sold(prefix, c.d_year.is_in([1999, 2000]), "d_year").join(t.customer, left_on=customer, right_on="c_customer_sk")
        spent = sales.group_by("c_customer_id", "c_first_name", "c_last_name").agg(*(number(c(f"{prefix}_net_paid").filter(c.d_year == year).sum()).alias(f"{prefix}{year}") for year in (1999, 2000)))
        return spent.filter(c(f"{prefix}1999") > 0)

    both = totals("ss", "ss_customer_sk").join(totals("ws", "ws_bill_customer_sk"), on="c_customer_id", suffix="_web")
    return first_rows(both.filter(c.ws2000 / c.ws1999 > c.ss2000 / c.ss1999).select("c_customer_id", "c_first_name", "c_last_name"), "c_customer_id")


def q75(t: Tables) -> LazyFrame:
    """Kinds of items of which a tenth less was sold than in the year before, returns taken off."""
    channels = [("cs", t.catalog_returns, ["cs_order_number", "cs_item_sk"], ["cr_order_number", "cr_item_sk"], "cr_return_quantity", "cr_return_amount"), ("ss", t.store_returns, ["ss_ticket_number", "ss_item_sk"], ["sr_ticket_number", "sr_item_sk"], "sr_return_quantity", "sr_return_amt"), ("ws", t.web_returns, ["ws_order_number", "ws_item_sk"], ["wr_order_number", "wr_item_sk"], "wr_return_quantity", "wr_return_amt")]
    parts, kinds = [], ["i_brand_id", "i_class_id", "i_category_id", "i_manufact_id"]
    for prefix, returns, left, right, count, amount in channels:
        sales = t.sold(prefix, c.d_year.is_in([1999, 2000]), "d_year").join(t.item.filter(c.i_category.is_in(["Books", "Home", "Women"])), left_on=f"{prefix}_item_sk", right_on="i_item_sk", coalesce=False).join(returns, left_on=left, right_on=right, how="left")
        parts.append(sales.select("d_year", *kinds, sales_cnt=c(f"{prefix}_quantity") - c(count).fill_null(0), sales_amt=number(f"{prefix}_ext_sales_price") - number(amount).fill_null(0.0)))
    years = pl.concat(parts).unique().group_by("d_year", *kinds).agg(c.sales_cnt.sum(), c.sales_amt.sum())
    both = years.filter(c.d_year == 2000).join(years.filter(c.d_year == 1999), on=kinds, suffix="_before").filter(c.sales_cnt / c.sales_cnt_before < 0.9)
    return first_rows(both.with_columns(cnt_diff=c.sales_cnt - c.sales_cnt_before, amt_diff=c.sales_amt - c.sales_amt_before), "cnt_diff", *kinds)


def q77(t: Tables) -> LazyFrame:
    """Sales, returns and profit of a month by channel and outlet, where returns of the catalog are counted for all."""
    days = t.date_dim.filter(c.d_date.is_between(date(1999, 1, 3), date(1999, 2, 2))).select("d_date_sk")

    def sums(frame: LazyFrame, day: str, key: str, **amounts: str) -> LazyFrame:
        return dated(frame, day, days).group_by(id=key).agg(**{name: c(column).sum() for name, column in amounts.items()})

    zero = pl.lit(0, dtype=pl.Decimal(38, 2))
    store = sums(t.store_sales, "ss_sold_date_sk", "ss_store_sk", sales="ss_ext_sales_price", profit="ss_net_profit").join(sums(t.store_returns, "sr_returned_date_sk", "sr_store_sk", returns="sr_return_amt", loss="sr_net_loss"), on="id", how="left")
    catalog = sums(t.catalog_sales, "cs_sold_date_sk", "cs_call_center_sk", sales="cs_ext_sales_price", profit="cs_net_profit").join(dated(t.catalog_returns, "cr_returned_date_sk", days).select(returns=c.cr_return_amount.sum(), loss=c.cr_net_loss.sum()), how="cross")
    web = sums(t.web_sales, "ws_sold_date_sk", "ws_web_page_sk", sales="ws_ext_sales_price", profit="ws_net_profit").join(sums(t.web_returns, "wr_returned_date_sk", "wr_web_page_sk", returns="wr_return_amt", loss="wr_net_loss"), on="id", how="left")
    parts = []
    for name, frame in {"store channel": store, "catalog channel": catalog, "web channel": web}.items():
        parts.append(frame.select(pl.lit(name).alias("channel"), "id", "sales", returns=c.returns.fill_null(zero), profit=c.profit - c.loss.fill_null(zero)))
    return first_rows(rollup(pl.concat(parts), ["channel", "id"], sales=c.sales.sum(), returns=c.returns.sum(), profit=c.profit.sum()).drop("level"), "channel", "id")
