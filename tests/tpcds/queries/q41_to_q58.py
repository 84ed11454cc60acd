"""Queries 41 to 58: ranks from both ends, running sums of years, months beside their neighbours."""

from __future__ import annotations

from datetime import date

import polars as pl
from polars import LazyFrame
from tpcds.queries.q26_to_q40 import by_channel
from tpcds.shapes import Tables, dated, first_rows, number

c = pl.col


def q41(t: Tables) -> LazyFrame:
    """Products of manufacturers that make something of chosen colors, units and sizes."""
    kinds = [("Women", ["powder", "orchid"], ["Ounce", "Oz"]), ("Women", ["slate", "red"], ["Bunch", "Ton"]), ("Men", ["peach", "saddle"], ["Dozen", "Box"]), ("Home", ["pale", "chiffon"], ["Pound", "Each"])]
    wanted = pl.any_horizontal([(c.i_category == category) & c.i_color.is_in(colors) & (c.i_units.is_in(units) | c.i_size.is_in(["medium", "large"])) for category, colors, units in kinds])
    makers = t.item.filter(wanted).group_by("i_manufact").agg(count=pl.len()).filter(c.count > 0).select("i_manufact")
    return first_rows(t.item.filter(c.i_manufact_id.is_between(1, 9)).join(makers, on="i_manufact", how="semi").select("i_product_name").unique(), "i_product_name")


def _month_sales(t: Tables, key: str, name: str) -> LazyFrame:
    """Sales of a month by a kind of item."""
    sales = t.sold("ss", (c.d_moy == 2) & (c.d_year == 2000), "d_year").join(t.item.filter(c.i_manager_id <= 4), left_on="ss_item_sk", right_on="i_item_sk")
    return first_rows(sales.group_by("d_year", key, name).agg(total=c.ss_ext_sales_price.sum()), "total", "d_year", key, name, descending=["total"])


def q42(t: Tables) -> LazyFrame:
    """Sales of a month by category."""
    return _month_sales(t, "i_category_id", "i_category")


def q52(t: Tables) -> LazyFrame:
    """Sales of a month by brand."""
    return _month_sales(t, "i_brand_id", "i_brand")


def q55(t: Tables) -> LazyFrame:
    """Sales of a month by brand, of one manager."""
    sales = t.sold("ss", (c.d_moy == 1) & (c.d_year == 1999)).join(t.item.filter(c.i_manager_id == 3), left_on="ss_item_sk", right_on="i_item_sk")
    return first_rows(sales.group_by("i_brand", "i_brand_id").agg(ext_price=c.ss_ext_sales_price.sum()), "ext_price", "i_brand_id", descending=["ext_price"])


def q43(t: Tables) -> LazyFrame:
    """Sales of stores by day of the week."""
    sales = t.sold("ss", c.d_year == 2000, "d_day_name").join(t.store.filter(c.s_gmt_offset == -5), left_on="ss_store_sk", right_on="s_store_sk")
    days = [pl.when(c.d_day_name == day).then(c.ss_sales_price).sum().alias(day[:3].lower()) for day in ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")]
    return first_rows(sales.group_by("s_store_name", "s_store_id").agg(days), "s_store_name", "s_store_id")


def q44(t: Tables) -> LazyFrame:
    """The items of the greatest and of the least mean profit in a store, side by side."""
    sales = t.store_sales.filter(c.ss_store_sk == 4)
    bound = sales.filter(c.ss_addr_sk.is_not_null()).select(bound=0.9 * number("ss_net_profit").mean())
    means = sales.group_by("ss_item_sk").agg(mean=number(c.ss_net_profit.sum()) / c.ss_net_profit.count()).join(bound, how="cross").filter(c.mean > c.bound)
    ranks = means.select("ss_item_sk", ascending=c.mean.rank("min"), descending=c.mean.rank("min", descending=True))
    names = t.item.select("i_item_sk", "i_product_name")
    best, worst = (ranks.filter(c(order) < 11).select("ss_item_sk", rank=order).join(names, left_on="ss_item_sk", right_on="i_item_sk") for order in ("ascending", "descending"))
    return first_rows(best.join(worst, on="rank", suffix="_worst").select("rank", best="i_product_name", worst="i_product_name_worst"), "rank")


def q45(t: Tables) -> LazyFrame:
    """Web sales by zip code and city, for listed zip codes or listed items."""
    listed = t.item.filter(c.i_item_sk.is_in([2, 3, 5, 7, 11, 13, 17, 19, 23, 29])).select("i_item_id").unique().with_columns(listed=pl.lit(True))
    sales = t.sold("ws", (c.d_qoy == 1) & (c.d_year == 2000)).join(t.customer, left_on="ws_bill_customer_sk", right_on="c_customer_sk").join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk")
    sales = sales.join(t.item, left_on="ws_item_sk", right_on="i_item_sk").join(listed, on="i_item_id", how="left")
    wanted = c.ca_zip.str.head(5).is_in(["85669", "86197", "24128"]) | c.listed.fill_null(False)
    return first_rows(sales.filter(wanted).group_by("ca_zip", "ca_city").agg(total=c.ws_sales_price.sum()), "ca_zip", "ca_city")


def _away_from_home(t: Tables, days: pl.Expr, cities: list[str], households: pl.Expr, **measures: pl.Expr) -> LazyFrame:
    """Tickets of customers who bought in a city other than their own."""
    sales = t.sold("ss", days).join(t.store.filter(c.s_city.is_in(cities)), left_on="ss_store_sk", right_on="s_store_sk").join(t.household_demographics.filter(households), left_on="ss_hdemo_sk", right_on="hd_demo_sk")
    sales = sales.join(t.customer_address.select("ca_address_sk", bought_city="ca_city"), left_on="ss_addr_sk", right_on="ca_address_sk", coalesce=False)
    tickets = sales.group_by("ss_ticket_number", "ss_customer_sk", "ss_addr_sk", "bought_city").agg(**measures)
    people = t.customer.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk")
    return tickets.join(people, left_on="ss_customer_sk", right_on="c_customer_sk").filter(c.ca_city != c.bought_city)


def q46(t: Tables) -> LazyFrame:
    """Coupons and profit of weekend purchases away from home."""
    found = _away_from_home(t, c.d_dow.is_in([6, 0]) & c.d_year.is_in([1999, 2000, 2001]), ["Fairview", "Midway", "Łódź"], (c.hd_dep_count == 4) | (c.hd_vehicle_count == 3), amt=c.ss_coupon_amt.sum(), profit=c.ss_net_profit.sum())
    return first_rows(found.select("c_last_name", "c_first_name", "ca_city", "bought_city", "ss_ticket_number", "amt", "profit"), "c_last_name", "c_first_name", "ca_city", "bought_city", "ss_ticket_number")


def q68(t: Tables) -> LazyFrame:
    """Prices and taxes of purchases away from home in the first days of months."""
    measures = {"extended_price": c.ss_ext_sales_price.sum(), "list_price": c.ss_ext_list_price.sum(), "extended_tax": c.ss_ext_tax.sum()}
    found = _away_from_home(t, c.d_dom.is_between(1, 9) & c.d_year.is_in([1999, 2000, 2001]), ["Midway", "Fairview"], (c.hd_dep_count >= 4) | (c.hd_vehicle_count == 3), **measures)
    return first_rows(found.select("c_last_name", "c_first_name", "ca_city", "bought_city", "ss_ticket_number", *measures), "c_last_name", "ss_ticket_number")


def _beside_neighbours(months: LazyFrame, group: list[str]) -> LazyFrame:
    """Months of a year that lie a tenth off the mean of the year, with the months before and after."""
    by = [*group, "d_year"]
    with_mean = months.with_columns(mean=number("sum_sales").mean().over(by))
    ordered = with_mean.sort(*group, "d_year", "d_moy", nulls_last=True)
    beside = ordered.with_columns(psum=c.sum_sales.shift(1).over(group), nsum=c.sum_sales.shift(-1).over(group), rn=pl.int_range(pl.len()).over(group))
    off = pl.when(c.mean > 0).then((number("sum_sales") - c.mean).abs() / c.mean)
    return beside.filter((c.d_year == 1999) & (c.mean > 0) & (off > 0.1) & c.psum.is_not_null() & c.nsum.is_not_null())


def q47(t: Tables) -> LazyFrame:
    """Months in which sales of a brand in a store were off the mean of the year."""
    sales = t.sold("ss", c.d_year.is_in([1998, 1999, 2000]), "d_year", "d_moy").join(t.item, left_on="ss_item_sk", right_on="i_item_sk").join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    group = ["i_category", "i_brand", "s_store_name", "s_company_name"]
    months = sales.group_by(*group, "d_year", "d_moy").agg(sum_sales=c.ss_sales_price.sum())
    return first_rows(_beside_neighbours(months, group).drop("rn"), "sum_sales", "i_category", "i_brand", "s_store_name", "d_moy")


def q57(t: Tables) -> LazyFrame:
    """Months in which sales of a brand by a call center were off the mean of the year."""
    sales = t.sold("cs", c.d_year.is_in([1998, 1999, 2000]), "d_year", "d_moy").join(t.item, left_on="cs_item_sk", right_on="i_item_sk").join(t.call_center, left_on="cs_call_center_sk", right_on="cc_call_center_sk")
    group = ["i_category", "i_brand", "cc_name"]
    months = sales.group_by(*group, "d_year", "d_moy").agg(sum_sales=c.cs_sales_price.sum())
    return first_rows(_beside_neighbours(months, group).drop("rn"), "sum_sales", "i_category", "i_brand", "cc_name", "d_moy")


def q48(t: Tables) -> LazyFrame:
    """How much was sold for couples of demographics and prices, states and profits."""
    sales = t.sold("ss", c.d_year == 1999).join(t.store, left_on="ss_store_sk", right_on="s_store_sk").join(t.customer_demographics, left_on="ss_cdemo_sk", right_on="cd_demo_sk").join(t.customer_address, left_on="ss_addr_sk", right_on="ca_address_sk")
    price, profit = number("ss_sales_price"), number("ss_net_profit")
    people = ((c.cd_marital_status == "M") & (c.cd_education_status == "4 yr Degree") & price.is_between(10, 150)) | ((c.cd_marital_status == "D") & price.is_between(5, 100)) | ((c.cd_marital_status == "S") & price.is_between(15, 200))
    homes = (c.ca_country == "United States") & ((c.ca_state.is_in(["CA", "OH", "TX"]) & profit.is_between(0, 2000)) | (c.ca_state.is_in(["GA", "TN", "WA"]) & profit.is_between(15, 3000)))
    return sales.filter(people & homes).select(total=c.ss_quantity.sum())


def q49(t: Tables) -> LazyFrame:
    """The items of the worst ratios of returns in each channel, by quantity and by amount."""
    channels = {
        "web": ("ws", "ws_order_number", t.web_returns, ["wr_order_number", "wr_item_sk"], "wr_return_quantity", "wr_return_amt"),
        "catalog": ("cs", "cs_order_number", t.catalog_returns, ["cr_order_number", "cr_item_sk"], "cr_return_quantity", "cr_return_amount"),
        "store": ("ss", "ss_ticket_number", t.store_returns, ["sr_ticket_number", "sr_item_sk"], "sr_return_quantity", "sr_return_amt"),
    }
    parts = []
    for name, (prefix, order, returns, on, count, amount) in channels.items():
        sales = t.sold(prefix, (c.d_year == 2000) & (c.d_moy <= 3)).join(returns, left_on=[order, f"{prefix}_item_sk"], right_on=on, how="left")
        sales = sales.filter((number(amount) > 100) & (number(f"{prefix}_net_paid") > 0) & (c(f"{prefix}_quantity") > 0))
        totals = sales.group_by(item=f"{prefix}_item_sk").agg(returned=c(count).fill_null(0).sum(), sold=c(f"{prefix}_quantity").fill_null(0).sum(), refunded=c(amount).sum(), paid=c(f"{prefix}_net_paid").sum())
        ratios = totals.with_columns(return_ratio=c.returned / c.sold, currency_ratio=number("refunded") / number("paid"))
        ranks = ratios.with_columns(return_rank=c.return_ratio.rank("min"), currency_rank=c.currency_ratio.rank("min"))
        chosen = ranks.filter((c.return_rank <= 10) | (c.currency_rank <= 10))
        parts.append(chosen.select(pl.lit(name).alias("channel"), "item", "return_ratio", "return_rank", "currency_rank"))
    return first_rows(pl.concat(parts).unique(), "channel", "return_rank", "currency_rank", "item")


def q50(t: Tables) -> LazyFrame:
    """How long after the sale stores got items back."""
    returns = dated(t.store_returns, "sr_returned_date_sk", t.date_dim.filter((c.d_year == 2000) & (c.d_moy <= 6)).select("d_date_sk"))
    days = c.sr_returned_date_sk - c.ss_sold_date_sk
    both = t.store_sales.join(returns.with_columns(), left_on=["ss_ticket_number", "ss_item_sk", "ss_customer_sk"], right_on=["sr_ticket_number", "sr_item_sk", "sr_customer_sk"]).join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    spans = {"d30": days <= 30, "d60": (days > 30) & (days <= 60), "d90": (days > 60) & (days <= 90), "d120": (days > 90) & (days <= 120), "later": days > 120}
    keys = ["s_store_name", "s_company_id", "s_street_number", "s_street_name", "s_street_type", "s_suite_number", "s_city", "s_county", "s_state", "s_zip"]
    return first_rows(both.group_by(keys).agg(**{name: pl.when(within).then(1).otherwise(0).sum() for name, within in spans.items()}), *keys)


def q51(t: Tables) -> LazyFrame:
    """Days on which an item had sold for more on the web than in stores, by the greatest running sums."""

    def running(prefix: str) -> LazyFrame:
        days = t.sold(prefix, c.d_month_seq.is_between(1188, 1199), "d_date").filter(c(f"{prefix}_item_sk").is_not_null()).group_by(item=f"{prefix}_item_sk", d_date="d_date").agg(price=c(f"{prefix}_sales_price").sum())
        return days.with_columns(cume=number("price").cum_sum().over("item", order_by="d_date")).drop("price")

    both = running("ws").join(running("ss"), on=["item", "d_date"], how="full", coalesce=True, suffix="_store")
    ordered = both.sort("item", "d_date")
    most = ordered.with_columns(web=c.cume.fill_null(strategy="forward").over("item"), store=c.cume_store.fill_null(strategy="forward").over("item"))
    return first_rows(most.filter(c.web > c.store).select("item", "d_date", "web", "store"), "item", "d_date")


def _off_the_mean(t: Tables, group: str, period: str) -> LazyFrame:
    """Periods in which sales were a tenth off the mean of the year."""
    kinds = c.i_category.is_in(["Books", "Children", "Electronics", "Women", "Music", "Men"]) & c.i_class.is_in(["self-help", "reference", "accent", "classical", "fiction", "pants"])
    sales = t.sold("ss", c.d_month_seq.is_between(1188, 1199), period).join(t.item.filter(kinds), left_on="ss_item_sk", right_on="i_item_sk").join(t.store, left_on="ss_store_sk", right_on="s_store_sk")
    found = sales.group_by(group, period).agg(sum_sales=c.ss_sales_price.sum()).with_columns(mean=number("sum_sales").mean().over(group))
    off = pl.when(c.mean > 0).then((number("sum_sales") - c.mean).abs() / c.mean).otherwise(None)
    return first_rows(found.filter(off > 0.1), "mean", "sum_sales", group)


def q53(t: Tables) -> LazyFrame:
    """Quarters in which a manufacturer's sales were off the mean."""
    return _off_the_mean(t, "i_manufact_id", "d_qoy")


def q63(t: Tables) -> LazyFrame:
    """Months in which a manager's sales were off the mean."""
    return _off_the_mean(t, "i_manager_id", "d_moy")


def q54(t: Tables) -> LazyFrame:
    """How many customers of a purchase elsewhere spent how much in the stores of their county in the months after."""
    elsewhere = pl.concat([t.catalog_sales.select(day="cs_sold_date_sk", customer="cs_bill_customer_sk", item="cs_item_sk"), t.web_sales.select(day="ws_sold_date_sk", customer="ws_bill_customer_sk", item="ws_item_sk")])
    month = (c.d_moy <= 3) & (c.d_year == 1999)
    buyers = dated(elsewhere, "day", t.date_dim.filter(month).select("d_date_sk")).join(t.item.filter(c.i_category.is_in(["Women", "Books", "Music", "Home"])), left_on="item", right_on="i_item_sk")
    people = buyers.select("customer").unique().join(t.customer.select("c_customer_sk", "c_current_addr_sk"), left_on="customer", right_on="c_customer_sk")
    homes = people.join(t.customer_address, left_on="c_current_addr_sk", right_on="ca_address_sk").join(t.store.select("s_county", "s_state").unique(), left_on=["ca_county"], right_on=["s_county"])
    first = t.date_dim.filter(month).select(first=c.d_month_seq.max() + 1)
    days = t.date_dim.join(first, how="cross").filter(c.d_month_seq.is_between(c.first, c.first + 11)).select("d_date_sk")
    revenue = dated(homes.join(t.store_sales, left_on="customer", right_on="ss_customer_sk"), "ss_sold_date_sk", days).group_by("customer").agg(revenue=number(c.ss_ext_sales_price.sum()))
    segments = revenue.select(segment=(c.revenue / 50).round(0).cast(pl.Int64)).group_by("segment").agg(num_customers=pl.len())
    return first_rows(segments.with_columns(segment_base=c.segment * 50), "segment", "num_customers")


def q56(t: Tables) -> LazyFrame:
    """Sales in all channels of items of some colors."""
    return first_rows(by_channel(t, "i_item_id", c.i_color.is_in(["slate", "blanched", "burnished"]), (c.d_year == 1999) & (c.d_moy <= 2)), "total_sales", "i_item_id")


def q60(t: Tables) -> LazyFrame:
    """Sales in all channels of items of a category."""
    return first_rows(by_channel(t, "i_item_id", c.i_category == "Music", (c.d_year == 1999) & (c.d_moy <= 2)), "i_item_id", "total_sales")


def q58(t: Tables) -> LazyFrame:
    """Items of which the three channels sold about as much in a week."""
    week = t.date_dim.filter(c.d_date.is_between(date(1999, 1, 4), date(1999, 4, 3))).select("d_week_seq").unique()
    days = t.date_dim.join(week, on="d_week_seq", how="semi").select("d_date_sk")
    revenue = {}
    for prefix, name in {"ss": "store_sales", "cs": "catalog_sales", "ws": "web_sales"}.items():
        sales = dated(getattr(t, name), f"{prefix}_sold_date_sk", days).join(t.item, left_on=f"{prefix}_item_sk", right_on="i_item_sk")
        revenue[prefix] = sales.group_by("i_item_id").agg(number(c(f"{prefix}_ext_sales_price").sum()).alias(prefix))
    both = revenue["ss"].join(revenue["cs"], on="i_item_id").join(revenue["ws"], on="i_item_id")
    pairs = [("ss", "cs"), ("ss", "ws"), ("cs", "ss"), ("cs", "ws"), ("ws", "ss"), ("ws", "cs")]
    alike = pl.all_horizontal([c(one).is_between(0.1 * c(other), 10 * c(other)) for one, other in pairs])
    mean = (c.ss + c.cs + c.ws) / 3
    return first_rows(both.filter(alike).select("i_item_id", *(expression for name in ("ss", "cs", "ws") for expression in (c(name), (c(name) / mean * 100).alias(f"{name}_dev"))), average=mean), "i_item_id", "ss")
