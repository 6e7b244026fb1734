from string import Template

letter = Template("Dear $name,\nyour balance is $$ $amount.\n")
people = [("Ms Ito", "12.50"), ("Mr Öz", "0.00")]
for name, amount in people:
    print(letter.substitute(name=name, amount=amount))
print(f"{len(people)} letters")
