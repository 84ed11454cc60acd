"""Queries 1 to 12: customers who return much, and shares of revenue within a class."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from polars import LazyFrame
from tpcds.shapes import Tables, dated, first_rows, number, rollup

c = pl.col


def q01(t: Tables) -> LazyFrame:
    """Customers whose returns to a store are a fifth above the mean of that store."""
    returns = dated(t.store_returns, "sr_returned_date_sk", t.date_dim.filter(c.d_year == 2000).select("d_date_sk"))
    totals = returns.group_by("sr_customer_sk", "sr_store_sk").agg(total=c.sr_return_amt.sum())
    means = totals.group_by("sr_store_sk").agg(mean=number("total").mean())
    found = totals.join(means, on="sr_store_sk").filter(number("total") > c.mean * 1.2)
    shops = t.store.filter(c.s_state == "TN").select("s_store_sk")
    return first_rows(found.join(shops, left_on="sr_store_sk", right_on="s_store_sk").join(t.customer, left_on="sr_customer_sk", right_on="c_customer_sk").select("c_customer_id"), "c_customer_id")


DAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]


def q02(t: Tables) -> LazyFrame:
    """How sales of each weekday grew from the weeks of one year to those of the next."""
    sales = pl.concat([t.web_sales.select(day="ws_sold_date_sk", price="ws_ext_sales_price"), t.catalog_sales.select(day="cs_sold_date_sk", price="cs_ext_sales_price")])
    weeks = sales.join(t.date_dim, left_on="day", right_on="d_date_sk").group_by("d_week_seq").agg(c.price.filter(c.d_day_name == name).sum().alias(name) for name in DAY_NAMES)
    years = {year: weeks.join(t.date_dim.filter(c.d_year == year).select("d_week_seq").unique(), on="d_week_seq") for year in (1999, 2000)}
    both = years[1999].join(years[2000].with_columns(c.d_week_seq - 53), on="d_week_seq", suffix="_next")
    shares = [(number(name) / number(f"{name}_next")).round(2).alias(name) for name in DAY_NAMES]
    return both.select("d_week_seq", *shares).sort("d_week_seq")


def q03(t: Tables) -> LazyFrame:
    """Sales of one manufacturer's brands in Novembers, by year."""
    sales = t.sold("ss", c.d_moy == 2, "d_year").join(t.item.filter(c.i_manufact_id == 3), left_on="ss_item_sk", right_on="i_item_sk")
    found = sales.group_by("d_year", "i_brand_id", "i_brand").agg(sum_agg=c.ss_ext_sales_price.sum())
    return first_rows(found, "d_year", "sum_agg", "i_brand_id", descending=["sum_agg"])


def _year_totals(t: Tables, prefix: str, customer: str, amount: pl.Expr) -> LazyFrame:
    """What each customer spent in a channel in each year."""
    sales = t.sold(prefix, c.d_year.is_in([1999, 2000]), "d_year").join(t.customer, left_on=customer, right_on="c_customer_sk")
    return sales.group_by("c_customer_id", "c_first_name", "c_last_name", "c_preferred_cust_flag", "d_year").agg(total=amount.sum())


def _growth(totals: LazyFrame, name: str) -> LazyFrame:
    """By customer, the quotient of what was spent in the second year and in the first."""
    before = totals.filter((c.d_year == 1999) & (number("total") > 0)).select("c_customer_id", before="total")
    after = totals.filter(c.d_year == 2000).select("c_customer_id", after="total")
    return before.join(after, on="c_customer_id").select("c_customer_id", (number("after") / number("before")).alias(name))


def q04(t: Tables) -> LazyFrame:
    """Customers whose spending by catalog grew more than in stores and on the web."""

    def profit(prefix: str) -> pl.Expr:
        listed, cost, discount, sold = (number(f"{prefix}_ext_{name}") for name in ("list_price", "wholesale_cost", "discount_amt", "sales_price"))
        return ((listed - cost - discount) + sold) / 2

    store = _year_totals(t, "ss", "ss_customer_sk", profit("ss"))
    catalog, web = _year_totals(t, "cs", "cs_bill_customer_sk", profit("cs")), _year_totals(t, "ws", "ws_bill_customer_sk", profit("ws"))
    growth = _growth(store, "g_store").join(_growth(catalog, "g_catalog"), on="c_customer_id").join(_growth(web, "g_web"), on="c_customer_id")
    chosen = growth.filter((c.g_catalog > c.g_store) & (c.g_catalog > c.g_web))
    named = store.filter(c.d_year == 2000).drop("d_year", "total")
    return first_rows(chosen.join(named, on="c_customer_id").select("c_customer_id", "c_first_name", "c_last_name", "c_preferred_cust_flag"), "c_customer_id")


def q05(t: Tables) -> LazyFrame:
    """Sales, returns and profit of each outlet in two weeks, with totals by channel and overall."""
    days = t.date_dim.filter(c.d_date.is_between(date(1999, 1, 3), date(1999, 1, 3) + timedelta(14))).select("d_date_sk")

    def channel(name: str, sales: LazyFrame, returns: LazyFrame, key: str) -> LazyFrame:
        zero = pl.lit(0, dtype=pl.Decimal(7, 2))
        sold = sales.with_columns(returned=zero, loss=zero)
        back = returns.with_columns(sold=zero, profit=zero)
        columns = ["day", "outlet", "sold", "profit", "returned", "loss"]
        whole = pl.concat([sold.select(columns), back.select(columns)])
        totals = dated(whole, "day", days).group_by("outlet").agg(c.sold.sum(), c.returned.sum(), c.profit.sum(), c.loss.sum())
        return totals.select(channel=pl.lit(name), id=pl.concat_str(pl.lit(key), c.outlet.cast(pl.String)), sales="sold", returns="returned", profit=c.profit - c.loss)

    parts = [
        channel("store channel", t.store_sales.select(day="ss_sold_date_sk", outlet="ss_store_sk", sold="ss_ext_sales_price", profit="ss_net_profit"), t.store_returns.select(day="sr_returned_date_sk", outlet="sr_store_sk", returned="sr_return_amt", loss="sr_net_loss"), "store"),
        channel("catalog channel", t.catalog_sales.select(day="cs_sold_date_sk", outlet="cs_catalog_page_sk", sold="cs_ext_sales_price", profit="cs_net_profit"), t.catalog_returns.select(day="cr_returned_date_sk", outlet="cr_catalog_page_sk", returned="cr_return_amount", loss="cr_net_loss"), "catalog_page"),
        channel(
            "web channel",
            t.web_sales.select(day="ws_sold_date_sk", outlet="ws_web_site_sk", sold="ws_ext_sales_price", profit="ws_net_profit"),
            t.web_returns.join(t.web_sales, left_on=["wr_item_sk", "wr_order_number"], right_on=["ws_item_sk", "ws_order_number"], how="left").select(day="wr_returned_date_sk", outlet="ws_web_site_sk", returned="wr_return_amt", loss="wr_net_loss"),
            "web_site",
        ),
    ]
    found = rollup(pl.concat(parts), ["channel", "id"], sales=c.sales.sum(), returns=c.returns.sum(), profit=c.profit.sum())
    return first_rows(found.drop("level"), "channel", "id")


def q06(t: Tables) -> LazyFrame:
    """States with ten or more customers who bought what costs a fifth more than its category does on average."""
    month = t.date_dim.filter((c.d_year == 1999) & (c.d_moy == 1)).select("d_month_seq").unique()
    days = t.date_dim.join(month, on="d_month_seq", how="semi").select("d_date_sk")
    means = t.item.group_by("i_category").agg(mean=number("i_current_price").mean())
    dear = t.item.join(means, on="i_category").filter(number("i_current_price") > 1.2 * c.mean).select("i_item_sk")
    sales = dated(t.store_sales, "ss_sold_date_sk", days).join(dear, left_on="ss_item_sk", right_on="i_item_sk")
    people = sales.join(t.customer, left_on="ss_customer_sk", right_on="c_customer_sk").join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk")
    return first_rows(people.group_by("ca_state").agg(cnt=pl.len()).filter(c.cnt >= 3), "cnt", "ca_state")


def q07(t: Tables) -> LazyFrame:
    """Means of quantity and prices of items that married men without a degree bought without promotion."""
    people = t.customer_demographics.filter((c.cd_gender == "M") & (c.cd_marital_status != "S") & (c.cd_education_status != "College")).select("cd_demo_sk")
    offers = t.promotion.filter((c.p_channel_email == "N") | (c.p_channel_event == "N")).select("p_promo_sk")
    sales = t.sold("ss", c.d_year == 2000).join(people, left_on="ss_cdemo_sk", right_on="cd_demo_sk").join(offers, left_on="ss_promo_sk", right_on="p_promo_sk")
    means = {f"agg{at}": number(name).mean() for at, name in enumerate(["ss_quantity", "ss_list_price", "ss_coupon_amt", "ss_sales_price"], 1)}
    return first_rows(sales.join(t.item, left_on="ss_item_sk", right_on="i_item_sk").group_by("i_item_id").agg(**means), "i_item_id")


def q08(t: Tables) -> LazyFrame:
    """Profit of stores whose zip code begins as one where preferred customers live."""
    listed = t.customer_address.select(zip=c.ca_zip.str.slice(0, 5)).filter(c.zip.is_in(["24128", "85669", "86197", "35709", "31904"]))
    preferred = t.customer_address.join(t.customer.filter(c.c_preferred_cust_flag == "Y"), left_on="ca_address_sk", right_on="c_current_addr_sk")
    many = preferred.group_by(zip=c.ca_zip.str.slice(0, 5)).agg(count=pl.len()).filter(c.count > 2).select("zip")
    zips = listed.unique().join(many, on="zip", how="semi").select(start=c.zip.str.slice(0, 2)).unique()
    shops = t.store.with_columns(start=c.s_zip.str.slice(0, 2)).join(zips, on="start")
    sales = t.sold("ss", (c.d_qoy == 1) & (c.d_year == 1999)).join(shops, left_on="ss_store_sk", right_on="s_store_sk")
    return first_rows(sales.group_by("s_store_name").agg(profit=c.ss_net_profit.sum()), "s_store_name")


def q09(t: Tables) -> LazyFrame:
    """For five ranges of quantities, the mean discount where there are many sales, else the mean of what was paid."""
    columns = []
    for at, (low, high, least) in enumerate([(1, 20, 400), (21, 40, 600), (41, 60, 300), (61, 80, 900), (81, 100, 100)], 1):
        within = c.ss_quantity.is_between(low, high)
        count = within.sum()
        columns.append(pl.when(count > least).then(number("ss_ext_discount_amt").filter(within).mean()).otherwise(number("ss_net_paid").filter(within).mean()).alias(f"bucket{at}"))
    return t.reason.filter(c.r_reason_sk == 1).select("r_reason_sk").join(t.store_sales.select(columns), how="cross").drop("r_reason_sk")


def _bought_elsewhere(t: Tables, days: pl.Expr) -> tuple[LazyFrame, LazyFrame]:
    """Customers who bought on the web, and by catalog."""
    return t.sold("ws", days).select(customer="ws_bill_customer_sk"), t.sold("cs", days).select(customer="cs_ship_customer_sk")


def q10(t: Tables) -> LazyFrame:
    """Demographics of customers of some counties who buy in stores, and on the web or by catalog too."""
    days = (c.d_year == 1999) & c.d_moy.is_between(1, 4)
    homes = t.customer_address.filter(c.ca_county.is_in(["Walker County", "Fairfield County", "Ziebach County"])).select("ca_address_sk")
    people = t.customer.join(homes, left_on="c_current_addr_sk", right_on="ca_address_sk")
    web, catalog = _bought_elsewhere(t, days)
    elsewhere = pl.concat([web, catalog])
    people = people.join(t.sold("ss", days), left_on="c_customer_sk", right_on="ss_customer_sk", how="semi").join(elsewhere, left_on="c_customer_sk", right_on="customer", how="semi")
    names = ["cd_gender", "cd_marital_status", "cd_education_status", "cd_purchase_estimate", "cd_credit_rating", "cd_dep_count", "cd_dep_employed_count", "cd_dep_college_count"]
    return first_rows(people.join(t.customer_demographics, left_on="c_current_cdemo_sk", right_on="cd_demo_sk").group_by(names).agg(count=pl.len()), *names)


def q11(t: Tables) -> LazyFrame:
    """Customers whose spending on the web grew more than in stores."""
    store = _year_totals(t, "ss", "ss_customer_sk", c.ss_ext_list_price - c.ss_ext_discount_amt)
    web = _year_totals(t, "ws", "ws_bill_customer_sk", c.ws_ext_list_price - c.ws_ext_discount_amt)
    chosen = _growth(store, "g_store").join(_growth(web, "g_web"), on="c_customer_id").filter(c.g_web > c.g_store)
    named = store.filter(c.d_year == 2000).drop("d_year", "total")
    return first_rows(chosen.join(named, on="c_customer_id").select("c_customer_id", "c_first_name", "c_last_name", "c_preferred_cust_flag"), "c_customer_id")


def share_of_class(t: Tables, prefix: str) -> LazyFrame:
    """Revenue of items of a channel in a month, and their share of that of their class."""
    price = f"{prefix}_ext_sales_price"
    sales = t.sold(prefix, c.d_date.is_between(date(1999, 2, 1), date(1999, 3, 2)))
    items = t.item.filter(c.i_category.is_in(["Sports", "Books", "Home"]))
    names = ["i_item_id", "i_item_desc", "i_category", "i_class", "i_current_price"]
    found = sales.join(items, left_on=f"{prefix}_item_sk", right_on="i_item_sk").group_by(names).agg(itemrevenue=c(price).sum())
    found = found.with_columns(revenueratio=number("itemrevenue") * 100 / number("itemrevenue").sum().over("i_class"))
    return first_rows(found, "i_category", "i_class", "i_item_id", "i_item_desc", "revenueratio")


def q12(t: Tables) -> LazyFrame:
    """Shares of revenue within classes, on the web."""
    return share_of_class(t, "ws")
