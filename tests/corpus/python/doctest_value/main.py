"""Greatest common divisor and friends."""
import doctest


def gcd(a, b):
    """Euclid's algorithm.

    >>> gcd(48, 18)
    6
    >>> gcd(0, 5)
    5
    """
    while b:
        a, b = b, a % b
    return a


def lcm(a, b):
    """
    >>> lcm(4, 6)
    12
    >>> lcm(1, 0)
    Traceback (most recent call last):
        ...
    ValueError: lcm of zero
    """
    if not (a and b):
        raise ValueError("lcm of zero")
    return a * b // gcd(a, b)


doctest.testmod()
