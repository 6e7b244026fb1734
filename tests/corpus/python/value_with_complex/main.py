import cmath

roots = {str(n): [cmath.sqrt(n)] for n in (4, -4)}
print(roots["4"], roots["-4"])
{"count": len(roots), "roots": roots}
