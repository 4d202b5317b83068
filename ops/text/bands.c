/* SPDX-License-Identifier: Apache-2.0 */
#include "bands.h"

#include <math.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

/* Mersenne Twister (Matsumoto, Nishimura 1998). */
enum { STATE = 624, SHIFT = 397, SEED = 42 };

struct twister {
    uint32_t state[STATE];
    size_t at;
};

static void twister_seed(struct twister *twister, uint32_t seed)
{
    twister->state[0] = seed;
    for (uint32_t i = 1; i < STATE; i++) {
        uint32_t last = twister->state[i - 1];
        twister->state[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    twister->at = STATE;
}

static void twister_turn(struct twister *twister)
{
    uint32_t *state = twister->state;
    for (size_t i = 0; i < STATE; i++) {
        uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % STATE] & 0x7FFFFFFFu);
        state[i] = state[(i + SHIFT) % STATE] ^ y >> 1 ^ (y & 1 ? 0x9908B0DFu : 0);
    }
    twister->at = 0;
}

static uint32_t twister_next(struct twister *twister)
{
    if (twister->at == STATE)
        twister_turn(twister);
    uint32_t y = twister->state[twister->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

/* From 0 to `most`, by drawing again what is above; most is a power of two less one, or a little
 * less. */
static uint64_t draw(struct twister *twister, uint64_t most)
{
    uint64_t value;
    do {
        value = (uint64_t)twister_next(twister) << 32;
        value |= twister_next(twister);
        value &= PRIME;
    } while (value > most);
    return value;
}

void pex__permutations(uint64_t *a, uint64_t *b, size_t count)
{
    struct twister twister;
    twister_seed(&twister, SEED);
    for (size_t i = 0; i < count; i++) {
        a[i] = 1 + draw(&twister, PRIME - 2);
        b[i] = draw(&twister, PRIME - 1);
    }
}

/* Gauss-Legendre quadrature, in panels. */
enum { NODES = 16, PANELS = 16 };

struct rule {
    double node[NODES]; /* in [-1, 1] */
    double weight[NODES];
};

/* The nodes are the roots of a Legendre polynomial, found by Newton's method. */
static void make_rule(struct rule *rule)
{
    for (size_t i = 0; i < NODES; i++) {
        double x = cos(M_PI * ((double)i + 0.75) / (NODES + 0.5)), slope = 0, step = 1;
        for (int k = 0; k < 100 && fabs(step) > 1e-16; k++) {
            double p0 = 1, p1 = x;
            for (int n = 2; n <= NODES; n++) {
                double p2 = ((2 * n - 1) * x * p1 - (n - 1) * p0) / n;
                p0 = p1;
                p1 = p2;
            }
            slope = NODES * (x * p1 - p0) / (x * x - 1);
            step = p1 / slope;
            x -= step;
        }
        rule->node[i] = x;
        rule->weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

static double power(double base, size_t exponent)
{
    double result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

/* The integral of (1 - s^rows)^bands. */
static double integrate(const struct rule *rule, double from, double to, size_t bands, size_t rows)
{
    double half = (to - from) / (2 * PANELS), sum = 0;
    for (size_t panel = 0; panel < PANELS; panel++) {
        double middle = from + half * (2 * (double)panel + 1);
        for (size_t i = 0; i < NODES; i++)
            sum += rule->weight[i] * power(1 - power(middle + half * rule->node[i], rows), bands);
    }
    return sum * half;
}

void pex__bands_choose(double threshold, size_t count, size_t *bands, size_t *rows)
{
    struct rule rule;
    double least = INFINITY;
    make_rule(&rule);
    *bands = *rows = 1;
    for (size_t b = 1; b <= count; b++)
        for (size_t r = 1; r <= count / b; r++) {
            double false_positive = threshold - integrate(&rule, 0, threshold, b, r);
            double error = false_positive / 2 + integrate(&rule, threshold, 1, b, r) / 2;
            if (error >= least)
                continue;
            least = error;
            *bands = b;
            *rows = r;
        }
}

uint64_t pex__band_hash(const uint32_t *values, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ values[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}
