import total

print(total.of("data.csv"), file=open("out/total.txt", "w"))
