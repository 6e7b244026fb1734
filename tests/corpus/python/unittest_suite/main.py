import unittest


def roman(number):
    digits = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
              (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    if not 0 < number < 4000:
        raise ValueError("out of range")
    out = ""
    for value, letters in digits:
        while number >= value:
            out, number = out + letters, number - value
    return out


class RomanTest(unittest.TestCase):
    def test_known_values(self):
        for number, letters in ((4, "IV"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")):
            with self.subTest(number=number):
                self.assertEqual(roman(number), letters)

    def test_refuses_zero(self):
        with self.assertRaises(ValueError):
            roman(0)

    @unittest.skip("negative numbers are not specified")
    def test_negative(self):
        self.fail("not reached")


print("before the tests", flush=True)
if __name__ == "__main__":
    unittest.main()
