# SPDX-License-Identifier: Apache-2.0
"""numpy.random.default_rng(42).permutation(n): SeedSequence, PCG64, and a shuffle from the end."""
MASK32, MASK128 = 2 ** 32 - 1, 2 ** 128 - 1


def seed_words(entropy, count):
    """SeedSequence(entropy).generate_state(count, uint64)"""
    constant = [0x43b0d7e5, 0x8b51f9dd]

    def hashed(value, which, multiplier):
        value ^= constant[which]
        constant[which] = constant[which] * multiplier & MASK32
        value = value * constant[which] & MASK32
        return value ^ value >> 16

    pool = [hashed(entropy if i == 0 else 0, 0, 0x931e8875) for i in range(4)]
    for source in range(4):
        for target in range(4):
            if source != target:
                mixed = (0xca01f9dd * pool[target]
                         - 0x4973f715 * hashed(pool[source], 0, 0x931e8875)) & MASK32
                pool[target] = mixed ^ mixed >> 16
    halves = [hashed(pool[i % 4], 1, 0x58f38ded) for i in range(2 * count)]
    return [halves[i] | halves[i + 1] << 32 for i in range(0, 2 * count, 2)]


class Pcg:
    def __init__(self):
        words = seed_words(42, 4)
        self.increment = (words[2] << 64 | words[3]) << 1 & MASK128 | 1
        self.state = 0
        self.step()
        self.state = self.state + (words[0] << 64 | words[1]) & MASK128
        self.step()
        self.halves = []

    def step(self):
        self.state = (self.state * 0x2360ed051fc65da44385df649fccf645 + self.increment) & MASK128

    def next32(self):
        if not self.halves:
            self.step()
            mixed, turn = (self.state >> 64 ^ self.state) & 2 ** 64 - 1, self.state >> 122
            mixed = (mixed >> turn | mixed << 64 - turn) & 2 ** 64 - 1
            self.halves = [mixed & MASK32, mixed >> 32]
        return self.halves.pop(0)

    def up_to(self, last):
        mask = 2 ** last.bit_length() - 1
        while True:
            value = self.next32() & mask
            if value <= last:
                return value


def permutation(count):
    pcg, order = Pcg(), list(range(count))
    for i in reversed(range(1, count)):
        j = pcg.up_to(i)
        order[i], order[j] = order[j], order[i]
    return order


def kept(count, ratio, number):
    if count < 2 or (ratio is None and number is None):
        return list(range(count))
    wanted = int(ratio * count) if ratio else number
    if wanted is None:
        return None
    if ratio and number and number < wanted:
        wanted = number
    if wanted <= 0 or wanted == count:
        return list(range(count))
    order = permutation(count)
    return sorted((order * (wanted // count + 1))[:wanted])


def differs(host, rng):
    wrong = []
    for _ in range(60):
        count = rng.choice([0, 1, 2, 3, rng.randrange(100), 1000])
        params = {"select_ratio": rng.choice([None, 0, 0.0, 0.001, 0.5, rng.random(), 1]),
                  "select_num": rng.choice([None, 0, 1, 7, 100, 2500])}
        answer = host.run("random_selector", params, [{"i": i} for i in range(count)], batch=100)
        expected = kept(count, params["select_ratio"], params["select_num"])
        got = None if "error" in answer else [i for i, _ in answer["rows"]]
        if got != expected:
            wrong.append((params, count, expected, answer))
    return wrong
