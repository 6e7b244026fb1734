first, second = set("kettle"), set("elbow")
common = first & second
print(len(common), "letters in common")
common
