import unittest


def mean(values):
    return sum(values) // len(values)


class MeanTest(unittest.TestCase):
    def test_single(self):
        self.assertEqual(mean([7]), 7)

    def test_mean(self):
        self.assertEqual(mean([2, 3]), 2.5)


unittest.main(verbosity=2)
