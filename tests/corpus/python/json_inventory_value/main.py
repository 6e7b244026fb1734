import json

orders = json.loads("""
[
  {"name": "apple", "category": "fruit", "price": 0.5, "quantity": 40},
  {"name": "hammer", "category": "tool", "price": 18.25, "quantity": 1},
  {"name": "pear", "category": "fruit", "price": 0.75, "quantity": 26}
]
""")

by_category = {}
for order in orders:
    by_category.setdefault(order["category"], []).append(order["name"])

summary = {
    "by_category": by_category,
    "total": sum(order["price"] * order["quantity"] for order in orders),
    "count": len(orders),
    "restock": None,
    "ok": all(order["quantity"] > 0 for order in orders),
}
print("computed", len(summary), "fields")

summary
