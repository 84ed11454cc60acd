#!/bin/sh
# Explains the example program stage by stage, then runs it on the oracle, as written and optimised. The one argument is the loom to use.
set -eu
loom=$1
here=$(dirname "$0")
orders='{id: [1, 2, 3, 4], customer: [7, 8, 7, 9], day: ["2024-01-05", "2024-02-29", "2023-12-31", "2024-07-14"], paid: [true, true, true, null]}'
lines='{order: [1, 1, 2, 3, 4], price: ["10.50", "2.25", "99.99", "5.00", "1.00"], count: [2, 4, 1, 3, 9]}'
customers='{key: [7, 8, 9], name: ["Ada", "Grace", "Edsger"], city: ["London", null, "Rotterdam"]}'

echo "== the program, and what the rules make of it"
"$loom" explain "$here/sales.air"
echo
echo "== its answer on the oracle, as written"
"$loom" run "$here/sales.air" @best "$orders" "$lines" "$customers" 2024 --no-optimizer
echo
echo "== its answer on the oracle, optimised"
"$loom" run "$here/sales.air" @best "$orders" "$lines" "$customers" 2024
