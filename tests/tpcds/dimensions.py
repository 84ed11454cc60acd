"""Calendar, people, shops and items: what sales refer to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

FIRST_DAY, DAYS = date(1998, 1, 1), 5 * 365 + 1
#: The surrogate key of the first day; keys of days are not numbers from 0 on.
FIRST_DATE_KEY = 2_450_815
MONEY = pl.Decimal(7, 2)

STATES = ["TN", "GA", "OH", "TX", "CA", "WA", "KY"]
COUNTIES = ["Williamson County", "Ziebach County", "Walker County", "Fairfield County"]
CITIES = ["Midway", "Fairview", "Oak Grove", "Łódź", "Five Points"]
CATEGORIES = ["Books", "Electronics", "Home", "Jewelry", "Men", "Music", "Shoes", "Sports", "Women", "Children"]
CLASSES = ["classical", "accent", "dresses", "pants", "fiction", "reference", "computers", "golf", "self-help", "football"]
COLORS = ["red", "slate", "blanched", "burnished", "pale", "chiffon", "orchid", "powder", "peach", "saddle"]
UNITS = ["Ounce", "Oz", "Bunch", "Ton", "Dozen", "Box", "Pound", "Each"]
SIZES = ["medium", "extra large", "N/A", "small", "petite", "large", "economy"]
EDUCATION = ["Primary", "Secondary", "College", "2 yr Degree", "4 yr Degree", "Advanced Degree", "Unknown"]
RATINGS = ["Good", "Low Risk", "High Risk", "Unknown"]
POTENTIAL = [">10000", "5001-10000", "1001-5000", "501-1000", "0-500", "Unknown"]
MEALS = ["breakfast", "lunch", "dinner", None]
REASONS = ["Package was damaged", "Did not like the color", "Gift exchange", "Found a better price", "reason 28", "Wrong size"]
CARRIERS = ["DHL", "BARIAN", "UPS", "FEDEX"]
SHIP_TYPES = ["EXPRESS", "OVERNIGHT", "REGULAR", "TWO DAY", "LIBRARY"]
FIRST_NAMES = ["James", "Zoë", "Anna", "Luis", None, "Małgorzata", "Robert"]
LAST_NAMES = ["Smith", "Brown", "O'Neil", None, "Żak", "Jones"]


def dimensions(draw: random.Random) -> dict[str, pl.DataFrame]:
    """The seventeen tables that facts refer to."""
    return {**_calendar(), **_people(draw), **_shops(), "item": _items(draw)}


Row = dict[str, Any]


def frame_of(rows: Sequence[Row]) -> pl.DataFrame:
    """Rows as a frame; integers are `Int64`, amounts decimals."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    money = {name: MONEY for name, values in columns.items() if any(isinstance(value, Decimal) for value in values)}
    return pl.DataFrame(columns, schema_overrides=money)


def _calendar() -> dict[str, pl.DataFrame]:
    days = []
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(number)
        quarter = (day.month - 1) // 3 + 1
        days.append(
            {
                "d_date_sk": FIRST_DATE_KEY + number,
                "d_date": day,
                "d_month_seq": (day.year - 1900) * 12 + day.month - 1,
                "d_week_seq": 5000 + (number + 3) // 7,
                "d_quarter_seq": (day.year - 1900) * 4 + quarter - 1,
                "d_year": day.year,
                "d_dow": (day.weekday() + 1) % 7,
                "d_moy": day.month,
                "d_dom": day.day,
                "d_qoy": quarter,
                "d_day_name": day.strftime("%A"),
                "d_quarter_name": f"{day.year}Q{quarter}",
            }
        )
    times = [{"t_time_sk": minute * 60, "t_time": minute * 60, "t_hour": minute // 60, "t_minute": minute % 60, "t_meal_time": MEALS[minute // 360]} for minute in range(0, 1440, 5)]
    return {"date_dim": frame_of(days), "time_dim": frame_of(times)}


def _people(draw: random.Random) -> dict[str, pl.DataFrame]:
    bands = [{"ib_income_band_sk": at, "ib_lower_bound": 10_000 * (at - 1) + (at > 1), "ib_upper_bound": 10_000 * at} for at in range(1, 21)]
    households = [{"hd_demo_sk": at, "hd_income_band_sk": 1 + at % 20, "hd_buy_potential": POTENTIAL[at % 6], "hd_dep_count": at % 10, "hd_vehicle_count": at % 6 - 1} for at in range(1, 121)]
    demographics = [
        {
            "cd_demo_sk": at,
            "cd_gender": "MF"[at % 2],
            "cd_marital_status": "MSDWU"[at % 5],
            "cd_education_status": EDUCATION[at % 7],
            "cd_purchase_estimate": 500 * (1 + at % 20),
            "cd_credit_rating": RATINGS[at % 4],
            "cd_dep_count": at % 7,
            "cd_dep_employed_count": at % 3,
            "cd_dep_college_count": at % 4,
        }
        for at in range(1, 281)
    ]
    addresses = [
        {
            "ca_address_sk": at,
            "ca_street_number": str(draw.randrange(1, 999)),
            "ca_street_name": draw.choice(["Main", "Oak Hill", "3rd"]),
            "ca_suite_number": draw.choice(["Suite 10", "Suite P"]),
            "ca_city": draw.choice(CITIES),
            "ca_county": draw.choice([*COUNTIES, None]),
            "ca_state": draw.choice([*STATES, None]),
            "ca_zip": draw.choice(["24128", "85669", "86197", "35709", "31904", "60169", f"{draw.randrange(100_000):05d}"]),
            "ca_country": draw.choice(["United States", "United States", None]),
            "ca_gmt_offset": draw.choice([-5, -6, -7, None]),
            "ca_location_type": draw.choice(["condo", "apartment", "single family"]),
        }
        for at in range(1, 161)
    ]
    customers = [
        {
            "c_customer_sk": at,
            "c_customer_id": f"AAAA{at // 2:06d}",
            "c_current_cdemo_sk": foreign_key(draw, range(1, 290)),
            "c_current_hdemo_sk": foreign_key(draw, range(1, 121)),
            "c_current_addr_sk": foreign_key(draw, range(1, 165)),
            "c_first_shipto_date_sk": day_key(draw),
            "c_first_sales_date_sk": day_key(draw),
            "c_salutation": draw.choice(["Mr.", "Dr.", None]),
            "c_first_name": draw.choice(FIRST_NAMES),
            "c_last_name": draw.choice(LAST_NAMES),
            "c_preferred_cust_flag": draw.choice(["Y", "N", None]),
            "c_birth_day": draw.choice([1, 15, 31, None]),
            "c_birth_month": draw.choice([1, 2, 6, 8, 9, 12, None]),
            "c_birth_year": draw.choice([1924, 1956, 1970, 1988, None]),
            "c_birth_country": draw.choice(["TOGO", "POLAND", "Côte d'Ivoire", None]),
            "c_login": None,
            "c_email_address": f"c{at}@example.org",
            "c_last_review_date_sk": day_key(draw),
        }
        for at in range(1, 251)
    ]
    people = frame_of(customers).with_columns(pl.col("c_login").cast(pl.String))
    return {"income_band": frame_of(bands), "household_demographics": frame_of(households), "customer_demographics": frame_of(demographics), "customer_address": frame_of(addresses), "customer": people}


def _shops() -> dict[str, pl.DataFrame]:
    stores = [
        {
            "s_store_sk": at,
            "s_store_id": f"S{at // 2:03d}",
            "s_store_name": ["ought", "able", "ese", "anti", "bar", "ese"][at - 1],
            "s_number_employees": 200 + 20 * at,
            "s_market_id": 5 + at % 4,
            "s_company_id": 1,
            "s_company_name": "Unknown",
            "s_street_number": str(100 + at),
            "s_street_name": "Park",
            "s_street_type": "Blvd",
            "s_suite_number": "Suite A",
            "s_city": CITIES[at % 5],
            "s_county": COUNTIES[at % 4],
            "s_state": STATES[at % 3],
            "s_zip": ["24128", "31904", "86197"][at % 3],
            "s_gmt_offset": -5 if at != 4 else None,
        }
        for at in range(1, 7)
    ]
    warehouses = [
        {"w_warehouse_sk": at, "w_warehouse_name": name, "w_warehouse_sq_ft": 100_000 * at, "w_city": CITIES[at], "w_county": COUNTIES[at % 4], "w_state": STATES[at], "w_country": "United States"}
        for at, name in enumerate(["Conventional childr", "Important issues liv", None, "Doors canno"], 1)
    ]
    return {
        "store": frame_of(stores),
        "warehouse": frame_of(warehouses),
        "call_center": frame_of([{"cc_call_center_sk": at, "cc_call_center_id": f"CC{at}", "cc_name": name, "cc_manager": "Bob Belcher", "cc_county": COUNTIES[at % 2]} for at, name in enumerate(["NY Metro", "Mid Atlantic", "North Midwest"], 1)]),
        "catalog_page": frame_of([{"cp_catalog_page_sk": at, "cp_catalog_page_id": f"CP{at:04d}"} for at in range(1, 13)]),
        "web_site": frame_of([{"web_site_sk": at, "web_site_id": f"W{at}", "web_name": f"site_{at // 2}", "web_company_name": "pri" if at % 2 else "able"} for at in range(1, 5)]),
        "web_page": frame_of([{"wp_web_page_sk": at, "wp_char_count": 4900 + 50 * at} for at in range(1, 11)]),
        "ship_mode": frame_of([{"sm_ship_mode_sk": at, "sm_type": SHIP_TYPES[at % 5], "sm_code": "AIR" if at % 2 else "SEA", "sm_carrier": CARRIERS[at % 4]} for at in range(1, 11)]),
        "reason": frame_of([{"r_reason_sk": at, "r_reason_desc": text} for at, text in enumerate(REASONS, 1)]),
        "promotion": frame_of([{"p_promo_sk": at, "p_channel_dmail": "YN"[at % 2], "p_channel_email": "NY"[at % 3 == 0], "p_channel_event": "NY"[at % 4 == 0], "p_channel_tv": "NY"[at % 5 == 0]} for at in range(1, 21)]),
    }


def _items(draw: random.Random) -> pl.DataFrame:
    rows = []
    for at in range(1, 121):
        kind = draw.randrange(len(CATEGORIES))
        cost = Decimal(draw.randrange(100, 8000)) / 100
        rows.append(
            {
                "i_item_sk": at,
                "i_item_id": f"ITEM{at // 2:05d}",
                "i_item_desc": draw.choice(["Powers will not get influences.", "Zażółć gęślą jaźń", None, f"Item {at}"]),
                "i_current_price": draw.choice([cost * 2, None]) if at % 17 == 0 else cost * 2,
                "i_wholesale_cost": cost,
                "i_brand_id": 1_000_000 + at % 9,
                "i_brand": f"brand #{at % 9}",
                "i_class_id": at % 10,
                "i_class": draw.choice([*CLASSES, None]) if at % 11 == 0 else CLASSES[at % 10],
                "i_category_id": kind,
                "i_category": None if at % 29 == 0 else CATEGORIES[kind],
                "i_manufact_id": 1 + at % 12,
                "i_manufact": f"able{at % 12}",
                "i_size": draw.choice(SIZES),
                "i_color": draw.choice(COLORS),
                "i_units": draw.choice(UNITS),
                "i_manager_id": 1 + at % 8,
                "i_product_name": f"product {at}",
            }
        )
    return frame_of(rows)


def foreign_key(draw: random.Random, keys: Sequence[Any]) -> Any:
    """A foreign key, which is null now and then."""
    return None if draw.random() < 0.04 else draw.choice(keys)


def day_key(draw: random.Random) -> int | None:
    """The key of a day; most of them in two of the years, so that what is bought in one is bought in the next."""
    if draw.random() < 0.04:
        return None
    number = draw.randrange(DAYS) if draw.random() < 0.4 else 365 * draw.randrange(1, 4) + draw.randrange(120)
    return FIRST_DATE_KEY + number
