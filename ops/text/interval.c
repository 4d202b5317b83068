/* SPDX-License-Identifier: Apache-2.0 */
#include "interval.h"

static void set_whole(struct pex__interval *interval, int64_t min, int64_t max)
{
    bool is_beyond =
        (!interval->min_closed && min == INT64_MAX) || (!interval->max_closed && max == INT64_MIN);
    interval->min = min;
    interval->max = max;
    interval->first = is_beyond ? INT64_MAX : min + !interval->min_closed;
    interval->last = is_beyond ? INT64_MIN : max - !interval->max_closed;
}

int32_t pex__interval_init(struct pex__interval *interval, const pex_params *params,
                           const char *const bounds[2])
{
    int32_t min_closed, max_closed, reversed, rc;
    int64_t min, max;
    double low, high;
    if ((rc = pex_params_bool(params, "min_closed_interval", &min_closed)) ||
        (rc = pex_params_bool(params, "max_closed_interval", &max_closed)) ||
        (rc = pex_params_bool(params, "reversed_range", &reversed)))
        return rc;
    interval->is_reversed = reversed;
    interval->min_closed = reversed ? !min_closed : min_closed;
    interval->max_closed = reversed ? !max_closed : max_closed;
    if (!pex_params_int64(params, bounds[0], &min) && !pex_params_int64(params, bounds[1], &max)) {
        set_whole(interval, min, max);
        return 0;
    }
    if ((rc = pex_params_double(params, bounds[0], &low)) ||
        (rc = pex_params_double(params, bounds[1], &high)))
        return rc;
    interval->min = low;
    interval->max = high;
    return 0;
}

bool pex__interval_keeps(const struct pex__interval *interval, int64_t value)
{
    return (value >= interval->first && value <= interval->last) != interval->is_reversed;
}

bool pex__interval_keeps_number(const struct pex__interval *interval,
                                const struct pex_number *number)
{
    long double value = number->type == PEX_NUMBER_INT64 ? (long double)number->int64
                                                         : (long double)number->float64;
    bool is_inside = (interval->min_closed ? value >= interval->min : value > interval->min) &&
                     (interval->max_closed ? value <= interval->max : value < interval->max);
    return is_inside != interval->is_reversed;
}

bool pex__interval_decides(const struct pex__interval *interval, int64_t low, int64_t high,
                           bool *keep)
{
    if (low >= interval->first && high <= interval->last) {
        *keep = !interval->is_reversed;
        return true;
    }
    if (high < interval->first || low > interval->last) {
        *keep = interval->is_reversed;
        return true;
    }
    return false;
}

size_t pex__interval_enough(const struct pex__interval *interval)
{
    /* No text has that many of anything, so a bound up there is none. */
    const int64_t unreachable = INT64_MAX / 2;
    int64_t first = interval->first > 0 ? interval->first : 0;
    if (interval->last < first)
        return 0;
    if (interval->last >= unreachable)
        return (size_t)first;
    return (size_t)interval->last + 1;
}
