/* SPDX-License-Identifier: Apache-2.0 */
#include "numeric_key.h"

#include "number.h"
#include "order.h"
#include "pick.h"

#include <math.h>

/* The numbers of a list, and of the lists in it. */
struct numbers {
    double *real;
    size_t count;
};

#define RAGGED SIZE_MAX
#define DEPTH_MAX 64 /* of numpy's dimensions */

/*
 * How many numbers a list has at all depths, or RAGGED: something in it is no number, or lists in
 * it differ in their lengths. *shape: the number of items per level, 0 for a level not yet seen.
 */
static size_t count_numbers(const struct pex__value *value, size_t level, size_t *shape,
                            size_t *depth)
{
    if (pex__value_is_number(value)) {
        if (*depth == 0)
            *depth = level;
        return *depth == level && shape[level] == 0 ? 1 : RAGGED;
    }
    if (value->type != PEX__LIST || level == DEPTH_MAX || (*depth != 0 && level >= *depth))
        return RAGGED;
    size_t count = value->as.list.count, all = 0;
    if (shape[level] == 0)
        shape[level] = count + 1;
    if (shape[level] != count + 1)
        return RAGGED;
    for (size_t i = 0; i < count; i++) {
        size_t more = count_numbers(&value->as.list.item[i], level + 1, shape, depth);
        if (more == RAGGED)
            return RAGGED;
        all += more;
    }
    return all;
}

/* False: one of them is beyond the doubles. */
static bool gather(const struct pex__value *value, struct numbers *numbers)
{
    if (value->type != PEX__LIST)
        return pex__number_double(value, &numbers->real[numbers->count++]);
    for (size_t i = 0; i < value->as.list.count; i++)
        if (!gather(&value->as.list.item[i], numbers))
            return false;
    return true;
}

/* The sum in the order in which numpy adds, which tells in the last bits. */
static double sum(const double *real, size_t count)
{
    double part[8], all = 0;
    size_t i;
    if (count < 8) {
        for (i = 0; i < count; i++)
            all += real[i];
        return all;
    }
    if (count > 128) {
        size_t half = count / 2 - count / 2 % 8;
        return sum(real, half) + sum(real + half, count - half);
    }
    for (i = 0; i < 8; i++)
        part[i] = real[i];
    for (; i < count - count % 8; i++)
        part[i % 8] += real[i];
    all = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < count; i++)
        all += real[i];
    return all;
}

/* The mean of a list; *is_number is false if it is none. */
static int32_t mean(const struct pex__value *list, double *real, bool *is_number)
{
    struct pex__scratch scratch = {0};
    size_t shape[DEPTH_MAX + 1] = {0}, depth = 0;
    size_t count = count_numbers(list, 0, shape, &depth);
    *is_number = count != RAGGED && list->as.list.count > 0;
    if (!*is_number)
        return 0;
    struct numbers numbers = {pex__scratch_alloc(&scratch, (count + 1) * sizeof(double)), 0};
    if (!numbers.real)
        return PEX_ENOMEM;
    *is_number = gather(list, &numbers);
    *real = count ? sum(numbers.real, count) / (double)count : NAN;
    pex__scratch_free(&scratch);
    return 0;
}

static int32_t read_number(const struct pex__value *value, double *real, bool *is_number)
{
    int32_t rc = 0;
    *is_number = false;
    if (!value)
        return 0;
    if (value->type == PEX__STRING)
        *is_number = pex__number_read(value->as.text, real, &rc);
    else if (value->type == PEX__LIST)
        rc = mean(value, real, is_number);
    else if (pex__value_is_number(value))
        *is_number = pex__number_double(value, real);
    return rc;
}

int32_t pex__numeric_key(struct pex__bytes *key, const struct pex__value *value, bool is_last_high)
{
    double real = 0;
    bool is_number;
    int32_t rc = read_number(value, &real, &is_number);
    if (rc)
        return rc;
    if (is_number && isnan(real)) {
        const char nan = PEX__NAN;
        return pex__bytes_append(key, &nan, 1);
    }
    struct pex__value number = {.type = PEX__REAL, .as.real = real};
    if (!is_number)
        number = (struct pex__value){.type = PEX__WHOLE,
                                     .as.whole = is_last_high ? INT64_MAX : -INT64_MAX};
    return pex__order_append(key, &number);
}
