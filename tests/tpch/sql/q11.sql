-- Q11: important stock identification. NATION = GERMANY.
-- FRACTION = 0.01. The standard's 0.0001 / SF assumes a whole data set; on the sample 0.01
-- keeps about half of the parts.
-- Tie-break added to the standard order: ps_partkey.
select
    ps_partkey,
    sum(ps_supplycost * ps_availqty) as value
from partsupp, supplier, nation
where ps_suppkey = s_suppkey
  and s_nationkey = n_nationkey
  and n_name = 'GERMANY'
group by ps_partkey
having sum(ps_supplycost * ps_availqty) > (
    select sum(ps_supplycost * ps_availqty) * 0.01
    from partsupp, supplier, nation
    where ps_suppkey = s_suppkey
      and s_nationkey = n_nationkey
      and n_name = 'GERMANY'
)
order by value desc, ps_partkey;
