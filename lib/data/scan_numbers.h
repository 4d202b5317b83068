/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of numbers and of such arrays, 64 bytes at a time, over the vectors of an isa_*.h included
 * before: their grammar as rules about neighbours in bitmaps. Runs (of digits, of blanks) are
 * followed to their end by an addition: the first bit of a run, added to the run, carries to the
 * byte behind.
 */
#ifndef PEX_DATA_SCAN_NUMBERS_H
#define PEX_DATA_SCAN_NUMBERS_H

#include "data/isa.h"

/* Bitmaps of one block. */
struct number_classes {
    uint64_t digits, zeros, commas, blanks, minus, plus, points, exponents, opens, closes;
};

/* Bit 0 of each: what the last byte of the block before was. */
struct number_state {
    uint64_t in_number;
    uint64_t first_minus;  /* the minus that begins a number */
    uint64_t leading_zero; /* a zero that begins the digits of a number */
    uint64_t point;
    uint64_t exponent; /* the letter */
    uint64_t exponent_sign;
    uint64_t fraction_run; /* a digit behind a point */
    uint64_t exponent_run; /* a digit behind an exponent */
    uint64_t comma_run;    /* a comma, or a blank behind one */
    uint64_t open_run;     /* an opening bracket, or a blank behind one */
    uint64_t value_run;    /* a closing bracket, or a blank behind one or behind a number */
    uint64_t digit;
};

static inline struct number_classes classify_numbers(struct block b)
{
    return (struct number_classes){
        .digits = block_range(b, '0', '9'),
        .zeros = block_eq(b, '0'),
        .commas = block_eq(b, ','),
        .blanks = block_eq(b, ' ') | block_eq(b, '\t') | block_eq(b, '\r'),
        .minus = block_eq(b, '-'),
        .plus = block_eq(b, '+'),
        .points = block_eq(b, '.'),
        .exponents = block_eq(block_lower(b), 'e'),
        .opens = block_eq(b, '['),
        .closes = block_eq(b, ']'),
    };
}

static inline void cut_numbers(struct number_classes *c, uint64_t inside)
{
    c->digits &= inside;
    c->zeros &= inside;
    c->commas &= inside;
    c->blanks &= inside;
    c->minus &= inside;
    c->plus &= inside;
    c->points &= inside;
    c->exponents &= inside;
    c->opens &= inside;
    c->closes &= inside;
}

/*
 * The bit of the bracket that closes the array in which `depth` brackets are open, 0 if it is not
 * in this block. *is_deep is set when more than `room` are open.
 */
static inline uint64_t find_close(const struct number_classes *c, size_t *depth, size_t room,
                                  int *is_deep)
{
    for (uint64_t left = c->opens | c->closes; left != 0; left &= left - 1) {
        uint64_t bracket = left & -left;

        if ((c->opens & bracket) != 0)
            *is_deep |= ++*depth > room;
        else if (--*depth == 0)
            return bracket;
    }
    return 0;
}

/* Each byte's left neighbour; *last is bit 0 for the block before, and is set for the next. */
static inline uint64_t behind(uint64_t set, uint64_t *last)
{
    uint64_t moved = set << 1 | *last;

    *last = set >> 63;
    return moved;
}

/* The bytes behind the runs that begin at `starts`, where *carry says that one began before. */
static inline uint64_t run_ends(uint64_t run, uint64_t starts, uint64_t *carry)
{
    uint64_t begin = starts | *carry, inside = begin & run, sum;

    *carry = (uint64_t)__builtin_add_overflow(run, inside, &sum);
    return (sum | begin) & ~run;
}

/* Faults against the grammar of a number. A number never ends in a sign, a point or an exponent, as
 * each of them asks for what must follow. */
static inline uint64_t number_faults(struct number_state *s, const struct number_classes *c,
                                     uint64_t firsts)
{
    uint64_t signs = c->minus | c->plus, first_minus = c->minus & firsts;
    uint64_t after_digit = behind(c->digits, &s->digit);
    uint64_t after_point = behind(c->points, &s->point);
    uint64_t after_exponent = behind(c->exponents, &s->exponent);
    uint64_t exponent_signs = signs & after_exponent;
    uint64_t after_first_minus = behind(first_minus, &s->first_minus);
    uint64_t after_sign = behind(exponent_signs, &s->exponent_sign);
    uint64_t integers = c->digits & (firsts | after_first_minus);
    uint64_t after_zero = behind(c->zeros & integers, &s->leading_zero);
    uint64_t fraction_ends = run_ends(c->digits, after_point & c->digits, &s->fraction_run);
    uint64_t exponent_starts = (after_exponent | after_sign) & c->digits;
    uint64_t exponent_ends = run_ends(c->digits, exponent_starts, &s->exponent_run);

    return (firsts & ~(c->digits | c->minus)) | (signs & ~(first_minus | exponent_signs)) |
           ((c->points | c->exponents) & ~after_digit) |
           ((after_point | after_first_minus | after_sign) & ~c->digits) |
           (after_exponent & ~(c->digits | signs)) | (after_zero & c->digits) |
           (fraction_ends & c->points) | (exponent_ends & (c->points | c->exponents));
}

/* Faults in what follows a comma, an opening bracket, a number or a closing bracket, blanks
 * skipped. `end` is the bit of the last bracket, which is not among the closing ones. */
static inline uint64_t order_faults(struct number_state *s, const struct number_classes *c,
                                    uint64_t firsts, uint64_t number_ends, uint64_t end)
{
    uint64_t comma_ends = run_ends(c->blanks, c->commas << 1, &s->comma_run);
    uint64_t open_ends = run_ends(c->blanks, c->opens << 1, &s->open_run);
    uint64_t value_ends = run_ends(c->blanks, number_ends | c->closes << 1, &s->value_run);
    uint64_t values = firsts | c->opens, closes = c->closes | end;

    s->comma_run |= c->commas >> 63;
    s->open_run |= c->opens >> 63;
    s->value_run |= c->closes >> 63;
    return (comma_ends & ~values) | (open_ends & ~(values | closes)) |
           (value_ends & ~(c->commas | closes));
}

static int numbers(const char *text, size_t room, size_t *length)
{
    struct number_state state = {.comma_run = 1};
    size_t depth = 1;
    int is_deep = 0;

    for (*length = 0;; *length += 64) {
        struct number_classes c = classify_numbers(block_load(text + *length));
        uint64_t end = find_close(&c, &depth, room, &is_deep);
        uint64_t inside = end - 1, set, after_number, firsts, faults;

        cut_numbers(&c, inside);
        set = c.digits | c.minus | c.plus | c.points | c.exponents;
        after_number = behind(set, &state.in_number);
        firsts = set & ~after_number;
        faults = inside & ~(set | c.commas | c.blanks | c.opens | c.closes);
        faults |= number_faults(&state, &c, firsts);
        faults |= order_faults(&state, &c, firsts, after_number & ~set, end);
        /* Behind the end all is noise; on it a fault still counts. */
        if ((faults & (inside | end)) != 0 || is_deep)
            return 0;
        if (end != 0) {
            *length += (size_t)__builtin_ctzll(end);
            return 1;
        }
    }
}

#endif
