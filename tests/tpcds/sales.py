"""Sales, returns and stock: what customers bought in each channel, which of it they brought back, and what warehouses had."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import polars as pl
from tpcds.dimensions import FIRST_DATE_KEY, Row, day_key, foreign_key, frame_of


def facts(draw: random.Random, keys: dict[str, list[Any]]) -> dict[str, pl.DataFrame]:
    """The seven tables of facts, given the keys of the others."""
    store = _store_sales(draw, keys)
    catalog = _delivered_sales(draw, keys, "cs", 700, (1, 20, 40, 70, 100, 130), _CATALOG)
    web = _delivered_sales(draw, keys, "ws", 600, (1, 35, 65, 95, 130), _WEB)
    made = {"store_sales": store, "catalog_sales": catalog, "web_sales": web}
    made.update(store_returns=_store_returns(draw, keys, store), catalog_returns=_catalog_returns(draw, keys, catalog), web_returns=_web_returns(draw, keys, web), inventory=_inventory(draw, keys))
    return {name: frame_of(rows) for name, rows in made.items()}


def _amounts(draw: random.Random, prefix: str) -> Row:
    """Quantity, prices and what follows of them, as each channel has them."""
    quantity = None if draw.random() < 0.03 else draw.randrange(1, 101)
    count = quantity or 0
    cost = Decimal(draw.randrange(100, 10000)) / 100
    listed = cost + Decimal(draw.randrange(0, 10000)) / 100
    price = (listed * draw.choice([0, 25, 50, 80, 100]) / 100).quantize(Decimal("0.01"))
    coupon = (price * count * draw.choice([0, 0, 0, 10]) / 100).quantize(Decimal("0.01"))
    paid = price * count - coupon
    tax = (paid * draw.choice([0, 4, 9]) / 100).quantize(Decimal("0.01"))
    return {
        f"{prefix}_quantity": quantity,
        f"{prefix}_wholesale_cost": cost,
        f"{prefix}_list_price": listed,
        f"{prefix}_sales_price": None if draw.random() < 0.03 else price,
        f"{prefix}_ext_discount_amt": (listed - price) * count,
        f"{prefix}_ext_sales_price": price * count,
        f"{prefix}_ext_wholesale_cost": cost * count,
        f"{prefix}_ext_list_price": listed * count,
        f"{prefix}_ext_tax": tax,
        f"{prefix}_coupon_amt": coupon,
        f"{prefix}_net_paid": None if draw.random() < 0.03 else paid,
        f"{prefix}_net_paid_inc_tax": paid + tax,
        f"{prefix}_net_profit": None if draw.random() < 0.03 else paid - cost * count,
    }


def _references(draw: random.Random, keys: dict[str, list[Any]], prefix: str, tables: Mapping[str, str]) -> Row:
    """Keys of other tables, by the names of the columns that hold them."""
    return {f"{prefix}_{column}_sk": foreign_key(draw, keys[table]) for column, table in tables.items()}


#: What a row of sales or returns refers to.
_STORE = {"sold_time": "time_dim", "customer": "customer", "cdemo": "customer_demographics", "hdemo": "household_demographics", "addr": "customer_address", "store": "store"}
_CATALOG = {
    "sold_time": "time_dim",
    "bill_cdemo": "customer_demographics",
    "bill_hdemo": "household_demographics",
    "bill_addr": "customer_address",
    "ship_addr": "customer_address",
    "call_center": "call_center",
    "catalog_page": "catalog_page",
    "ship_mode": "ship_mode",
}
_WEB = {
    "sold_time": "time_dim",
    "bill_addr": "customer_address",
    "ship_addr": "customer_address",
    "ship_hdemo": "household_demographics",
    "web_page": "web_page",
    "web_site": "web_site",
    "ship_mode": "ship_mode",
}


def _store_sales(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for ticket in range(1, 900):
        shared = {"ss_sold_date_sk": day_key(draw), **_references(draw, keys, "ss", _STORE), "ss_ticket_number": ticket}
        for item in draw.sample(keys["item"], draw.choice([1, 2, 4, 4, 17]) if ticket % 9 == 0 else draw.choice([1, 3, 5])):
            rows.append({**shared, "ss_item_sk": item, **_references(draw, keys, "ss", {"promo": "promotion"}), **_amounts(draw, "ss")})
    return rows


def _delivered_sales(draw: random.Random, keys: dict[str, list[Any]], prefix: str, orders: int, days: Sequence[int], tables: Mapping[str, str]) -> list[Row]:
    """Sales of a channel that sends what is bought, some days later."""
    rows = []
    for order in range(1, orders):
        sold, buyer = day_key(draw), foreign_key(draw, keys["customer"])
        shared = {
            f"{prefix}_sold_date_sk": sold,
            f"{prefix}_ship_date_sk": None if sold is None else sold + draw.choice(days),
            f"{prefix}_bill_customer_sk": buyer,
            f"{prefix}_ship_customer_sk": draw.choice([buyer, foreign_key(draw, keys["customer"])]),
            **_references(draw, keys, prefix, tables),
            f"{prefix}_order_number": order,
        }
        for item in draw.sample(keys["item"], draw.choice([1, 2, 4])):
            own = {f"{prefix}_item_sk": item, **_references(draw, keys, prefix, {"promo": "promotion", "warehouse": "warehouse"})}
            rows.append({**shared, **own, **_amounts(draw, prefix), f"{prefix}_ext_ship_cost": _money(draw, 50000)})
    return rows


def _money(draw: random.Random, cents: int) -> Decimal:
    """A random amount below this many cents."""
    return Decimal(draw.randrange(cents)) / 100


def _returned(draw: random.Random, sale: Row, of: str) -> tuple[int | None, int | None, Decimal]:
    """When something was returned, how many of it, and for how much."""
    sold, quantity = sale[f"{of}_sold_date_sk"], sale[f"{of}_quantity"]
    day = None if sold is None else sold + draw.choice([2, 10, 25, 45, 80, 110, 200])
    count = None if quantity is None else draw.randrange(1, quantity + 1)
    price = sale[f"{of}_sales_price"] or Decimal("0.00")
    return day, count, price * (count or 0)


def _returns(draw: random.Random, sales: Sequence[Row], of: str, prefix: str, row: Callable[[Row, Decimal], Row]) -> list[Row]:
    """Some of the sales, which were brought back; a channel says what its rows have besides, of the sale and of what was paid for it."""
    rows = []
    for sale in sales:
        if draw.random() < 0.3:
            day, count, amount = _returned(draw, sale, of)
            own = row(sale, amount)
            rows.append({f"{prefix}_returned_date_sk": day, f"{prefix}_item_sk": sale[f"{of}_item_sk"], f"{prefix}_return_quantity": count, **own, f"{prefix}_net_loss": _money(draw, 100000)})
    return rows


def _store_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    def row(sale: Row, amount: Decimal) -> Row:
        return {
            "sr_customer_sk": sale["ss_customer_sk"] if draw.random() < 0.8 else foreign_key(draw, keys["customer"]),
            **_references(draw, keys, "sr", {"cdemo": "customer_demographics", "store": "store", "reason": "reason"}),
            "sr_ticket_number": sale["ss_ticket_number"],
            "sr_return_amt": None if draw.random() < 0.03 else amount,
            "sr_fee": _money(draw, 10000),
        }

    return _returns(draw, sales, "ss", "sr", row)


def _catalog_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    tables = {"returning_customer": "customer", "returning_addr": "customer_address", "call_center": "call_center", "catalog_page": "catalog_page"}

    def row(sale: Row, amount: Decimal) -> Row:
        return {
            "cr_refunded_customer_sk": sale["cs_bill_customer_sk"],
            **_references(draw, keys, "cr", tables),
            "cr_order_number": sale["cs_order_number"],
            "cr_return_amount": None if draw.random() < 0.03 else amount,
            "cr_return_amt_inc_tax": amount + Decimal("1.50"),
            "cr_refunded_cash": amount,
            "cr_reversed_charge": _money(draw, 5000),
            "cr_store_credit": _money(draw, 5000),
        }

    return _returns(draw, sales, "cs", "cr", row)


def _web_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    tables = {"refunded_addr": "customer_address", "returning_customer": "customer", "returning_addr": "customer_address", "web_page": "web_page", "reason": "reason"}

    def row(sale: Row, amount: Decimal) -> Row:
        status = draw.choice(keys["customer_demographics"])
        return {
            "wr_refunded_cdemo_sk": status,
            "wr_returning_cdemo_sk": status if draw.random() < 0.7 else foreign_key(draw, keys["customer_demographics"]),
            **_references(draw, keys, "wr", tables),
            "wr_order_number": sale["ws_order_number"],
            "wr_return_amt": None if draw.random() < 0.03 else amount,
            "wr_fee": _money(draw, 10000),
            "wr_refunded_cash": amount,
        }

    return _returns(draw, sales, "ws", "wr", row)


def _inventory(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for week in range(30, 200, 4):
        for item in keys["item"][::2]:
            at = draw.choice(keys["warehouse"])
            rows.append({"inv_date_sk": FIRST_DATE_KEY + 7 * week, "inv_item_sk": item, "inv_warehouse_sk": at, "inv_quantity_on_hand": None if draw.random() < 0.05 else draw.choice([0, 5, 150, 300, 900])})
    return rows
