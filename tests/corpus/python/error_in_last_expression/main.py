prices = {"apple": 1.25, "pear": 0.0}
print("cheapest:", min(prices, key=prices.get))

sum(prices.values()) / prices["pear"]
