"""Sales, returns and stock: what customers bought in each channel, which of it they brought back, and what warehouses had."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import polars as pl
from tpcds.dimensions import FIRST_DATE_KEY, Row, day_key, foreign_key, frame_of


def facts(draw: random.Random, keys: dict[str, list[Any]]) -> dict[str, pl.DataFrame]:
    """The seven tables of facts, given the keys of the others."""
    store, catalog, web = _store_sales(draw, keys), _catalog_sales(draw, keys), _web_sales(draw, keys)
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


def _store_sales(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for ticket in range(1, 900):
        shared = {
            "ss_sold_date_sk": day_key(draw),
            "ss_sold_time_sk": foreign_key(draw, keys["time_dim"]),
            "ss_customer_sk": foreign_key(draw, keys["customer"]),
            "ss_cdemo_sk": foreign_key(draw, keys["customer_demographics"]),
            "ss_hdemo_sk": foreign_key(draw, keys["household_demographics"]),
            "ss_addr_sk": foreign_key(draw, keys["customer_address"]),
            "ss_store_sk": foreign_key(draw, keys["store"]),
            "ss_ticket_number": ticket,
        }
        for item in draw.sample(keys["item"], draw.choice([1, 2, 4, 4, 17]) if ticket % 9 == 0 else draw.choice([1, 3, 5])):
            rows.append({**shared, "ss_item_sk": item, "ss_promo_sk": foreign_key(draw, keys["promotion"]), **_amounts(draw, "ss")})
    return rows


def _catalog_sales(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for order in range(1, 700):
        sold, buyer = day_key(draw), foreign_key(draw, keys["customer"])
        shared = {
            "cs_sold_date_sk": sold,
            "cs_sold_time_sk": foreign_key(draw, keys["time_dim"]),
            "cs_ship_date_sk": None if sold is None else sold + draw.choice([1, 20, 40, 70, 100, 130]),
            "cs_bill_customer_sk": buyer,
            "cs_bill_cdemo_sk": foreign_key(draw, keys["customer_demographics"]),
            "cs_bill_hdemo_sk": foreign_key(draw, keys["household_demographics"]),
            "cs_bill_addr_sk": foreign_key(draw, keys["customer_address"]),
            "cs_ship_customer_sk": draw.choice([buyer, foreign_key(draw, keys["customer"])]),
            "cs_ship_addr_sk": foreign_key(draw, keys["customer_address"]),
            "cs_call_center_sk": foreign_key(draw, keys["call_center"]),
            "cs_catalog_page_sk": foreign_key(draw, keys["catalog_page"]),
            "cs_ship_mode_sk": foreign_key(draw, keys["ship_mode"]),
            "cs_order_number": order,
        }
        for item in draw.sample(keys["item"], draw.choice([1, 2, 4])):
            own = {"cs_item_sk": item, "cs_promo_sk": foreign_key(draw, keys["promotion"]), "cs_warehouse_sk": foreign_key(draw, keys["warehouse"])}
            rows.append({**shared, **own, **_amounts(draw, "cs"), "cs_ext_ship_cost": Decimal(draw.randrange(0, 50000)) / 100})
    return rows


def _web_sales(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for order in range(1, 600):
        sold, buyer = day_key(draw), foreign_key(draw, keys["customer"])
        shared = {
            "ws_sold_date_sk": sold,
            "ws_sold_time_sk": foreign_key(draw, keys["time_dim"]),
            "ws_ship_date_sk": None if sold is None else sold + draw.choice([1, 35, 65, 95, 130]),
            "ws_bill_customer_sk": buyer,
            "ws_bill_addr_sk": foreign_key(draw, keys["customer_address"]),
            "ws_ship_customer_sk": draw.choice([buyer, foreign_key(draw, keys["customer"])]),
            "ws_ship_addr_sk": foreign_key(draw, keys["customer_address"]),
            "ws_ship_hdemo_sk": foreign_key(draw, keys["household_demographics"]),
            "ws_web_page_sk": foreign_key(draw, keys["web_page"]),
            "ws_web_site_sk": foreign_key(draw, keys["web_site"]),
            "ws_ship_mode_sk": foreign_key(draw, keys["ship_mode"]),
            "ws_order_number": order,
        }
        for item in draw.sample(keys["item"], draw.choice([1, 2, 4])):
            own = {"ws_item_sk": item, "ws_promo_sk": foreign_key(draw, keys["promotion"]), "ws_warehouse_sk": foreign_key(draw, keys["warehouse"])}
            rows.append({**shared, **own, **_amounts(draw, "ws"), "ws_ext_ship_cost": Decimal(draw.randrange(0, 50000)) / 100})
    return rows


def _returned(draw: random.Random, sale: Row, of: str, date_key: str) -> tuple[int | None, int | None, Decimal]:
    """When something was returned, how many of it, and for how much."""
    sold, quantity = sale[date_key], sale[f"{of}_quantity"]
    day = None if sold is None else sold + draw.choice([2, 10, 25, 45, 80, 110, 200])
    count = None if quantity is None else draw.randrange(1, quantity + 1)
    price = sale[f"{of}_sales_price"] or Decimal("0.00")
    return day, count, price * (count or 0)


def _store_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    rows = []
    for sale in sales:
        if draw.random() < 0.3:
            day, count, amount = _returned(draw, sale, "ss", "ss_sold_date_sk")
            rows.append(
                {
                    "sr_returned_date_sk": day,
                    "sr_item_sk": sale["ss_item_sk"],
                    "sr_customer_sk": sale["ss_customer_sk"] if draw.random() < 0.8 else foreign_key(draw, keys["customer"]),
                    "sr_cdemo_sk": foreign_key(draw, keys["customer_demographics"]),
                    "sr_store_sk": foreign_key(draw, keys["store"]),
                    "sr_reason_sk": foreign_key(draw, keys["reason"]),
                    "sr_ticket_number": sale["ss_ticket_number"],
                    "sr_return_quantity": count,
                    "sr_return_amt": None if draw.random() < 0.03 else amount,
                    "sr_fee": Decimal(draw.randrange(10000)) / 100,
                    "sr_net_loss": Decimal(draw.randrange(100000)) / 100,
                }
            )
    return rows


def _catalog_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    rows = []
    for sale in sales:
        if draw.random() < 0.3:
            day, count, amount = _returned(draw, sale, "cs", "cs_sold_date_sk")
            rows.append(
                {
                    "cr_returned_date_sk": day,
                    "cr_item_sk": sale["cs_item_sk"],
                    "cr_refunded_customer_sk": sale["cs_bill_customer_sk"],
                    "cr_returning_customer_sk": foreign_key(draw, keys["customer"]),
                    "cr_returning_addr_sk": foreign_key(draw, keys["customer_address"]),
                    "cr_call_center_sk": foreign_key(draw, keys["call_center"]),
                    "cr_catalog_page_sk": foreign_key(draw, keys["catalog_page"]),
                    "cr_order_number": sale["cs_order_number"],
                    "cr_return_quantity": count,
                    "cr_return_amount": None if draw.random() < 0.03 else amount,
                    "cr_return_amt_inc_tax": amount + Decimal("1.50"),
                    "cr_net_loss": Decimal(draw.randrange(100000)) / 100,
                    "cr_refunded_cash": amount,
                    "cr_reversed_charge": Decimal(draw.randrange(5000)) / 100,
                    "cr_store_credit": Decimal(draw.randrange(5000)) / 100,
                }
            )
    return rows


def _web_returns(draw: random.Random, keys: dict[str, list[Any]], sales: Sequence[Row]) -> list[Row]:
    rows = []
    for sale in sales:
        if draw.random() < 0.3:
            day, count, amount = _returned(draw, sale, "ws", "ws_sold_date_sk")
            status = draw.choice(keys["customer_demographics"])
            rows.append(
                {
                    "wr_returned_date_sk": day,
                    "wr_item_sk": sale["ws_item_sk"],
                    "wr_refunded_cdemo_sk": status,
                    "wr_refunded_addr_sk": foreign_key(draw, keys["customer_address"]),
                    "wr_returning_customer_sk": foreign_key(draw, keys["customer"]),
                    "wr_returning_cdemo_sk": status if draw.random() < 0.7 else foreign_key(draw, keys["customer_demographics"]),
                    "wr_returning_addr_sk": foreign_key(draw, keys["customer_address"]),
                    "wr_web_page_sk": foreign_key(draw, keys["web_page"]),
                    "wr_reason_sk": foreign_key(draw, keys["reason"]),
                    "wr_order_number": sale["ws_order_number"],
                    "wr_return_quantity": count,
                    "wr_return_amt": None if draw.random() < 0.03 else amount,
                    "wr_fee": Decimal(draw.randrange(10000)) / 100,
                    "wr_refunded_cash": amount,
                    "wr_net_loss": Decimal(draw.randrange(100000)) / 100,
                }
            )
    return rows


def _inventory(draw: random.Random, keys: dict[str, list[Any]]) -> list[Row]:
    rows = []
    for week in range(30, 200, 4):
        for item in keys["item"][::2]:
            at = draw.choice(keys["warehouse"])
            rows.append({"inv_date_sk": FIRST_DATE_KEY + 7 * week, "inv_item_sk": item, "inv_warehouse_sk": at, "inv_quantity_on_hand": None if draw.random() < 0.05 else draw.choice([0, 5, 150, 300, 900])})
    return rows
