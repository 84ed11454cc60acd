#!/usr/bin/env python3
"""Make the checked-in TPC-H sample and the reference answers to its 22 queries.

    python3 -m venv venv
    venv/bin/pip install duckdb==2.0.0 tpchgen-cli==4.0.0
    venv/bin/python generate.py [--out DIR]      # DIR: this folder unless told

Reads   sql/qNN.sql              next to this file (standard text, validation parameters)
Writes  DIR/data/TABLE.csv       header, RFC 4180 quoting, LF line ends, ordered by primary key
        DIR/answers/qNN.csv      the answers DuckDB gives over those files: decimals exact,
                                 doubles in their shortest round-trip form
        DIR/answers/types.json   query -> [[column, DuckDB type], ...]
        DIR/statistics.txt       what is true of those files: rows, keys, distinct values

The output is a function of the two pinned versions alone, so a second run gives the same bytes.

How the sample is drawn. tpchgen-cli writes the full data set at scale SCALE. From it we keep:
  1. the orders that SEEDS picks, a few for each query that a plain sample would leave empty,
     then more orders of the same customers until LINES line items are held. An order keeps
     all its lines, so o_totalprice and o_orderstatus stay right;
  2. the customers of those orders, and customers who never ordered (CUSTOMERS);
  3. the parts those lines name, and the few that PARTS picks;
  4. the partsupp rows those lines use, and all four rows of each part that PARTS picks;
  5. the suppliers those partsupp rows name; region and nation whole.
Then EDITS changes one value in each of four rows. `check` proves that no key dangles and no
answer is empty; `text` lets no null through.

The sample is derived from TPC-H but is not a TPC-H data set: nothing measured on it is
comparable with published TPC-H results.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb

HERE = Path(__file__).resolve().parent
SCALE = "0.04"
LINES = 1200

# Table -> (primary key, column definitions)
TABLES = {
    "region": ("r_regionkey", """
        r_regionkey bigint, r_name varchar, r_comment varchar"""),
    "nation": ("n_nationkey", """
        n_nationkey bigint, n_name varchar, n_regionkey bigint, n_comment varchar"""),
    "supplier": ("s_suppkey", """
        s_suppkey bigint, s_name varchar, s_address varchar, s_nationkey bigint,
        s_phone varchar, s_acctbal decimal(15,2), s_comment varchar"""),
    "customer": ("c_custkey", """
        c_custkey bigint, c_name varchar, c_address varchar, c_nationkey bigint,
        c_phone varchar, c_acctbal decimal(15,2), c_mktsegment varchar, c_comment varchar"""),
    "part": ("p_partkey", """
        p_partkey bigint, p_name varchar, p_mfgr varchar, p_brand varchar, p_type varchar,
        p_size bigint, p_container varchar, p_retailprice decimal(15,2), p_comment varchar"""),
    "partsupp": ("ps_partkey, ps_suppkey", """
        ps_partkey bigint, ps_suppkey bigint, ps_availqty bigint,
        ps_supplycost decimal(15,2), ps_comment varchar"""),
    "orders": ("o_orderkey", """
        o_orderkey bigint, o_custkey bigint, o_orderstatus varchar, o_totalprice decimal(15,2),
        o_orderdate date, o_orderpriority varchar, o_clerk varchar, o_shippriority bigint,
        o_comment varchar"""),
    "lineitem": ("l_orderkey, l_linenumber", """
        l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber bigint,
        l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2),
        l_tax decimal(15,2), l_returnflag varchar, l_linestatus varchar, l_shipdate date,
        l_commitdate date, l_receiptdate date, l_shipinstruct varchar, l_shipmode varchar,
        l_comment varchar"""),
}

# Every line item with all it refers to; the seeds are predicates over this view.
WIDE = """
create view wide as
select *, sn.n_name as s_nation, sr.r_name as s_region, cn.n_name as c_nation,
       cr.r_name as c_region,
       sum(l_quantity) over (partition by l_orderkey) as order_qty,
       count(distinct l_suppkey) over (partition by l_orderkey) as order_supps,
       count(distinct case when l_receiptdate > l_commitdate then l_suppkey end)
           over (partition by l_orderkey) as late_supps
from lineitem
join orders on o_orderkey = l_orderkey
join customer on c_custkey = o_custkey
join part on p_partkey = l_partkey
join supplier on s_suppkey = l_suppkey
join nation sn on sn.n_nationkey = s_nationkey
join region sr on sr.r_regionkey = sn.n_regionkey
join nation cn on cn.n_nationkey = c_nationkey
join region cr on cr.r_regionkey = cn.n_regionkey
"""

# q19's three branches, each a list of conditions.
Q19 = [
    [f"p_brand = '{brand}'",
     f"p_container in ({containers})",
     f"l_quantity between {quantity} and {quantity} + 10",
     f"p_size between 1 and {size}",
     "l_shipmode = 'AIR'",
     "l_shipinstruct = 'DELIVER IN PERSON'"]
    for brand, containers, quantity, size in [
        ("Brand#12", "'SM CASE', 'SM BOX', 'SM PACK', 'SM PKG'", 1, 5),
        ("Brand#23", "'MED BAG', 'MED BOX', 'MED PKG', 'MED PACK'", 10, 10),
        ("Brand#34", "'LG CASE', 'LG BOX', 'LG PACK', 'LG PKG'", 20, 15)]
]

Q17_OTHER = """select min(p_partkey) from part
               where exists (from lineitem where l_partkey = p_partkey and l_quantity < 3)
                 and exists (from lineitem where l_partkey = p_partkey and l_quantity > 45)"""

Q20 = "p_name like 'forest%' and s_nation = 'CANADA'"
# Canadian suppliers who sell such parts, but never in 1994.
Q20_IDLE = f"""{Q20} and l_suppkey not in (select l_suppkey from wide
                                          where {Q20} and year(l_shipdate) = 1994)"""

SAUDI_LATE = "s_nation = 'SAUDI ARABIA' and l_receiptdate > l_commitdate"


def all_but(conditions, missed):
    """Holds where every condition but `missed` does."""
    return " and ".join(f"not ({c})" if c == missed else c for c in conditions)


# Beside the rows that a query selects we keep some that it only just turns down, so that a
# wrong plan which loses one of its conditions gives another answer.
# (query, orders to keep, groups to take them from in turn, which lines qualify)
SEEDS = [
    ("q03", 12, "1", "c_mktsegment = 'BUILDING' and o_orderdate < '1995-03-15' "
                     "and l_shipdate > '1995-03-15'"),
    ("q04", 10, "o_orderpriority", "o_orderdate between '1993-07-01' and '1993-09-30' "
                                   "and l_commitdate < l_receiptdate"),
    ("q04", 2, "1", "o_orderdate between '1993-07-01' and '1993-09-30' and late_supps = 0"),
    ("q05", 10, "s_nation", "c_nation = s_nation and s_region = 'ASIA' "
                            "and year(o_orderdate) = 1994"),
    ("q07", 10, "s_nation, year(l_shipdate)",
     "year(l_shipdate) in (1995, 1996) and c_nation <> s_nation "
     "and c_nation in ('FRANCE', 'GERMANY') and s_nation in ('FRANCE', 'GERMANY')"),
    ("q08", 10, "s_nation = 'BRAZIL', year(o_orderdate)",
     "p_type = 'ECONOMY ANODIZED STEEL' and c_region = 'AMERICA' "
     "and year(o_orderdate) in (1995, 1996)"),
    ("q10", 22, "1", "o_orderdate between '1993-10-01' and '1993-12-31' and l_returnflag = 'R'"),
    ("q12", 8, "l_shipmode, o_orderpriority < '3'",
     "l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate "
     "and l_shipdate < l_commitdate and year(l_receiptdate) = 1994"),
    ("q13", 6, "1", "o_comment like '%special%requests%'"),
    ("q14", 6, "1", "p_type like 'PROMO%' and l_shipdate between '1995-09-01' and '1995-09-30'"),
    # 5 is below a fifth of the average of all lines, not below a fifth of that of its part.
    ("q17", 4, "l_partkey", "p_brand = 'Brand#23' and p_container = 'MED BOX' "
                            "and l_quantity < 5"),
    ("q17", 2, "l_partkey", "p_brand = 'Brand#23' and p_container = 'MED BOX' "
                            "and l_quantity = 5"),
    ("q17", 10, "l_partkey", "p_brand = 'Brand#23' and p_container = 'MED BOX' "
                             "and l_quantity > 40"),
] + [
    # q17: small and large lines of a part that has only one of brand and container right.
    ("q17", 1, "1", f"l_partkey = ({Q17_OTHER} and {other}) and l_quantity {size}")
    for other in ["p_brand <> 'Brand#23' and p_container = 'MED BOX'",
                  "p_brand = 'Brand#23' and p_container <> 'MED BOX'"]
    for size in ["< 3", "> 45"]
] + [
    ("q18", 8, "1", "order_qty > 300"),
    ("q18", 4, "1", "order_qty between 285 and 300"),
    ("q20", 10, "l_suppkey", f"{Q20} and year(l_shipdate) = 1994"),
    ("q20", 2, "l_suppkey", f"{Q20_IDLE} and year(l_shipdate) < 1994"),
    ("q20", 2, "l_suppkey", f"{Q20_IDLE} and year(l_shipdate) > 1994"),
    # Sales of 1994 that share only the part, or only the supplier, with those.
    ("q20", 1, "1", f"""year(l_shipdate) = 1994 and l_partkey in (
        select l_partkey from wide where {Q20_IDLE} and l_orderkey in (from s.kept))"""),
    ("q20", 1, "1", f"""year(l_shipdate) = 1994 and l_suppkey in (
        select l_suppkey from wide where {Q20_IDLE} and l_orderkey in (from s.kept))"""),
    ("q21", 16, "1", f"{SAUDI_LATE} and o_orderstatus = 'F' "
                     "and order_supps > 1 and late_supps = 1"),
    ("q21", 3, "1", f"{SAUDI_LATE} and o_orderstatus <> 'F' "
                    "and order_supps > 1 and late_supps = 1"),
    ("q21", 3, "1", f"{SAUDI_LATE} and o_orderstatus = 'F' and order_supps = 1"),
    ("q21", 3, "1", "s_nation = 'SAUDI ARABIA' and o_orderstatus = 'F' "
                    "and order_supps > 1 and late_supps = 0"),
] + [("q19", 4, "1", " and ".join(branch)) for branch in Q19] + [
    ("q19", 1, "1", all_but(branch, missed))
    for branch in Q19 for missed in branch
]

Q22 = "left(c_phone, 2) in ('13', '31', '23', '29', '30', '18', '17')"

# q22 (and q13): customers who never ordered. (customers to keep, groups, which qualify)
CUSTOMERS = [
    (21, "left(c_phone, 2)", Q22),
    # Poor customers elsewhere pull the average of all below that of q22's countries; the two
    # after them lie between the averages.
    (10, "c_nationkey", f"not ({Q22}) and c_acctbal between 0 and 1000"),
    (2, "1", f"{Q22} and c_acctbal between 5020 and 5220"),
    (3, "c_nationkey", f"not ({Q22}) and c_acctbal > 6000"),
]

Q16 = """p_size in (49, 14, 23, 45, 19, 3, 36, 9) and p_brand <> 'Brand#45'
         and p_type not like 'MEDIUM POLISHED%'"""

# Parts kept with all four of their suppliers. (parts to keep, preferred order, which qualify)
PARTS = [
    # q2
    (14, "p_partkey", "p_size = 15 and p_type like '%BRASS'"),
    # q16: first the parts whose brand, type and size another part shares, for larger counts.
    (24, "count(*) over (partition by p_brand, p_type, p_size) desc, "
         "p_brand, p_type, p_size, p_partkey",
     Q16),
]

EDITS = [
    # q2: give a supplier outside Europe the lowest European price of a part, so that the
    # price alone does not say who is selected.
    """
    update s.partsupp set ps_supplycost = best
    from (
        select ps_partkey as partkey,
               min(ps_suppkey) filter (r_name <> 'EUROPE') as suppkey,
               min(ps_supplycost) filter (r_name = 'EUROPE') as best
        from s.partsupp join s.part on p_partkey = ps_partkey
        join supplier on s_suppkey = ps_suppkey join nation on n_nationkey = s_nationkey
        join region on r_regionkey = n_regionkey
        where p_size = 15 and p_type like '%BRASS'
        group by ps_partkey having suppkey is not null and best is not null
        order by ps_partkey limit 1)
    where ps_partkey = partkey and ps_suppkey = suppkey
    """,
    # q16: no supplier at this scale has a complaint against it. Give one to the supplier that
    # would otherwise count most often, so that the NOT IN takes something away.
    f"""
    update s.supplier set s_comment = 'slyly final Customer deposits sleep Complaints'
    where s_suppkey = (
        select ps_suppkey from s.partsupp join s.part on p_partkey = ps_partkey
        where {Q16}
        group by ps_suppkey order by count(*) desc, ps_suppkey limit 1)
    """,
    # q16: no supplier has two parts of one brand, type and size. Hand a row that no line uses
    # over to a supplier of the like part, so that the DISTINCT counts.
    f"""
    update s.partsupp set ps_suppkey = taker
    from (
        select b.ps_partkey as partkey, b.ps_suppkey as giver, a.ps_suppkey as taker
        from s.partsupp a join s.part pa on pa.p_partkey = a.ps_partkey
        join s.part pb using (p_brand, p_type, p_size)
        join s.partsupp b on b.ps_partkey = pb.p_partkey
        join s.supplier on s_suppkey = a.ps_suppkey
        where {Q16} and a.ps_partkey < b.ps_partkey and s_comment not like '%Complaints%'
          and (b.ps_partkey, a.ps_suppkey) not in (select (ps_partkey, ps_suppkey)
                                                   from s.partsupp)
          and (b.ps_partkey, b.ps_suppkey) not in (select (l_partkey, l_suppkey)
                                                   from s.lineitem)
        order by all limit 1)
    where ps_partkey = partkey and ps_suppkey = giver
    """,
    # q20: stock is nearly always far above half a year's shipments. Leave one unit of the
    # first pair the query looks at, so that the comparison turns a supplier down.
    f"""
    update s.partsupp set ps_availqty = 1
    where (ps_partkey, ps_suppkey) = (
        select (l_partkey, l_suppkey) from wide where l_orderkey in (from s.kept)
          and {Q20} and year(l_shipdate) = 1994
        order by l_suppkey, l_partkey limit 1)
    """,
]

# child table, its key columns, parent table, its key columns
REFERENCES = [
    ("nation", "n_regionkey", "region", "r_regionkey"),
    ("supplier", "s_nationkey", "nation", "n_nationkey"),
    ("customer", "c_nationkey", "nation", "n_nationkey"),
    ("partsupp", "ps_partkey", "part", "p_partkey"),
    ("partsupp", "ps_suppkey", "supplier", "s_suppkey"),
    ("orders", "o_custkey", "customer", "c_custkey"),
    ("lineitem", "l_orderkey", "orders", "o_orderkey"),
    ("lineitem", "l_partkey, l_suppkey", "partsupp", "ps_partkey, ps_suppkey"),
]


def load(folder):
    """The eight CSV files of `folder` as typed tables of a new in-memory database."""
    db = duckdb.connect()
    db.execute("set threads = 1")
    for table, (_, columns) in TABLES.items():
        db.execute(f"create table {table} ({columns})")
        db.execute(f"copy {table} from '{folder / table}.csv' (format csv, header)")
    return db


def generate_full(folder):
    tool = shutil.which("tpchgen-cli", path=str(Path(sys.executable).parent)) or "tpchgen-cli"
    subprocess.run([tool, "csv", "-q", "-s", SCALE, "-o", str(folder)], check=True)


def in_turn(source, key, groups, order, where, count):
    """SQL for the first `count` keys, taking one from each group in turn."""
    return f"""
        select {key} from (
            select {key}, min(turn) as turn from (
                select {key}, row_number() over (partition by {groups} order by {order}) as turn
                from {source} where {where})
            group by {key})
        order by turn, {key} limit {count}"""


def draw(db):
    """Fills schema s with the sample."""
    db.execute(WIDE)
    db.execute("create schema s")
    db.execute("create table s.kept (o_orderkey bigint)")
    for _, count, groups, where in SEEDS:
        keys = in_turn("wide", "l_orderkey", groups, "l_orderkey", where, count)
        db.execute(f"insert into s.kept ({keys}) except from s.kept")
    # More orders of the same customers: first those with the smallest share of parts not held
    # yet, which keeps part and partsupp small and gives parts several lines each.
    db.execute(f"""
        insert into s.kept
        with held as (from lineitem where l_orderkey in (from s.kept)),
             more as (
                select l_orderkey, count(*) as n,
                       count(*) filter (l_partkey not in (select l_partkey from held)) as fresh
                from wide
                where o_custkey in (select o_custkey from held join orders
                                    on o_orderkey = l_orderkey)
                  and l_orderkey not in (from s.kept)
                group by l_orderkey)
        select l_orderkey from (
            select l_orderkey, sum(n) over (order by fresh / n, n desc, l_orderkey) as lines
            from more)
        where lines + (select count(*) from held) <= {LINES}""")
    db.execute("create table s.orders as from orders where o_orderkey in (from s.kept)")
    db.execute("create table s.lineitem as from lineitem where l_orderkey in (from s.kept)")

    idle = " union all ".join(
        "(" + in_turn("customer anti join orders on o_custkey = c_custkey",
                      "c_custkey", groups, "c_custkey", where, count) + ")"
        for count, groups, where in CUSTOMERS)
    db.execute(f"""create table s.customer as from customer
                   where c_custkey in (select o_custkey from s.orders union all {idle})""")

    whole = " union all ".join(
        f"(select p_partkey from part where {where} order by {order} limit {count})"
        for count, order, where in PARTS)
    db.execute(f"""create table s.partsupp as from partsupp
                   where ps_partkey in ({whole})
                      or (ps_partkey, ps_suppkey) in (select (l_partkey, l_suppkey)
                                                      from s.lineitem)""")
    db.execute("""create table s.part as from part
                  where p_partkey in (select ps_partkey from s.partsupp)""")
    db.execute("""create table s.supplier as from supplier
                  where s_suppkey in (select ps_suppkey from s.partsupp)""")
    db.execute("create table s.nation as from nation")
    db.execute("create table s.region as from region")
    for edit in EDITS:
        changed = db.execute(edit).fetchall()
        assert changed == [(1,)], (changed, edit)


def text(value):
    assert isinstance(value, (int, str, float, Decimal, date)), repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return repr(value) if isinstance(value, float) else str(value)


def write_csv(path, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([text(value) for value in row] for row in rows)


def write_data(db, folder):
    for table, (key, _) in TABLES.items():
        rows = db.sql(f"from s.{table} order by {key}")
        write_csv(folder / f"{table}.csv", rows.columns, rows.fetchall())


def write_answers(db, folder):
    """Runs every query; returns {query: number of rows}."""
    counts, types = {}, {}
    for path in sorted((HERE / "sql").glob("q*.sql")):
        answer = db.sql(path.read_text(encoding="utf-8"))
        rows = answer.fetchall()
        write_csv(folder / f"{path.stem}.csv", answer.columns, rows)
        counts[path.stem] = len(rows)
        types[path.stem] = [[c, str(t)] for c, t in zip(answer.columns, answer.types)]
    lines = ",\n".join(f'  "{query}": {json.dumps(types[query])}' for query in types)
    (folder / "types.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    return counts


def write_statistics(db, path):
    """For `loom explain --statistics`, and for the tests of join order."""
    lines = []
    for table, (key, _) in TABLES.items():
        rows = db.sql(f"from {table}")
        counts = ", ".join(f"count(distinct {c})" for c in rows.columns)
        [(total, *distinct)] = db.execute(f"select count(*), {counts} from {table}").fetchall()
        unique = ", ".join(f'"{c.strip()}"' for c in key.split(","))
        each = ", ".join(f"{c}: {n}" for c, n in zip(rows.columns, distinct))
        lines.append(f'"{table}" = {{rows: {total}, unique: [[{unique}]], distinct: {{{each}}}}}\n')
    path.write_text("".join(lines), encoding="utf-8")


def check(db, answers):
    for child, key, parent, parent_key in REFERENCES:
        dangling = db.execute(f"""select count(*) from {child}
                                  where ({key}) not in (select ({parent_key}) from {parent})""")
        assert dangling.fetchall() == [(0,)], (child, parent)
    assert len(answers) == 22 and all(answers.values()), answers


def main():
    parser = argparse.ArgumentParser(description="Make the TPC-H sample and reference answers.")
    parser.add_argument("--out", type=Path, default=HERE,
                        help="folder to write data/ and answers/ in")
    out = parser.parse_args().out

    with tempfile.TemporaryDirectory() as full:
        generate_full(Path(full))
        db = load(Path(full))
    draw(db)
    write_data(db, out / "data")
    # The answers come from the files just written, not from the tables they were written from.
    sample = load(out / "data")
    answers = write_answers(sample, out / "answers")
    check(sample, answers)
    write_statistics(sample, out / "statistics.txt")

    size = 0
    for table in TABLES:
        size += (out / "data" / f"{table}.csv").stat().st_size
        [(count,)] = sample.execute(f"select count(*) from {table}").fetchall()
        print(f"{table:<10}{count:>6} rows")
    print(f"{size} bytes of data")
    for query, count in answers.items():
        print(f"{query:<10}{count:>6} rows")


if __name__ == "__main__":
    main()
