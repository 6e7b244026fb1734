def trapezoid(function, first, last, steps):
    width = (last - first) / steps
    inner = sum(function(first + width * step) for step in range(1, steps))
    return width * (inner + (function(first) + function(last)) / 2)


trapezoid(lambda x: 2 * x + 0.25, 0, 1.5, 4) + 0.625
