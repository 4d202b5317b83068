/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"
#include "selector.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Keys: a hash behind this byte, or one byte that says what is wrong. */
#define KEY_HASH 1
#define KEY_BAD 2
#define KEY_SIZE (1 + sizeof(XXH128_canonical_t))

struct frequency_selector {
    struct pex__selector selector;
    struct pex__share share;
    bool is_most;
};

/* The rows of one value. */
struct group {
    uint64_t hash[2];
    uint64_t count; /* 0: an empty place */
    uint64_t first; /* a row; from `choose` on whether the group stays */
};

/* A set of groups, open addressing. */
struct groups {
    struct group *place;
    size_t mask;
    size_t count;
};

static int32_t append_hash(struct pex__bytes *key, const void *data, size_t size)
{
    const char kind = KEY_HASH;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(data, size));
    int32_t rc = pex__bytes_append(key, &kind, 1);
    return rc ? rc : pex__bytes_append(key, (const char *)&hash, sizeof(hash));
}

static int32_t make_key(const struct pex__selector *selector, const struct pex__value *value,
                        struct pex__bytes *key)
{
    const char missing = PEX__KEY_MISSING, bad = KEY_BAD;
    struct pex__bytes bytes = {0};
    if (!value)
        return pex__bytes_append(key, &missing, 1);
    if (value->type > PEX__STRING)
        return pex__bytes_append(key, &bad, 1);
    int32_t rc = pex__order_append(&bytes, value);
    if (!rc)
        rc = append_hash(key, bytes.data, bytes.length);
    pex__bytes_free(&bytes);
    return rc;
}

static int32_t observe(void *instance, pex_batch *batch, struct pex_error *err)
{
    return pex__selector_observe(instance, batch, make_key);
}

/* The place of a hash, or the empty one where it belongs. */
static struct group *find(const struct groups *groups, const uint64_t hash[2])
{
    size_t at = (size_t)hash[1] & groups->mask;
    while (groups->place[at].count && memcmp(groups->place[at].hash, hash, 16) != 0)
        at = (at + 1) & groups->mask;
    return &groups->place[at];
}

static int32_t grow(struct groups *groups)
{
    struct groups larger = {.mask = 2 * groups->mask + 1, .count = groups->count};
    larger.place = calloc(larger.mask + 1, sizeof(*larger.place));
    if (!larger.place)
        return PEX_ENOMEM;
    for (size_t i = 0; groups->place && i <= groups->mask; i++)
        if (groups->place[i].count)
            *find(&larger, groups->place[i].hash) = groups->place[i];
    free(groups->place);
    *groups = larger;
    return 0;
}

/* The hash of a row; a field that is not there is null. */
static void read_hash(const struct pex__rows *rows, const struct pex__bytes *null, uint64_t hash[2])
{
    const struct pex__bytes *key = *rows->key.data == KEY_HASH ? &rows->key : null;
    memcpy(hash, key->data + 1, 16);
}

static int32_t count_row(struct groups *groups, const struct pex__rows *rows,
                         const struct pex__bytes *null)
{
    uint64_t hash[2];
    if (groups->count >= groups->mask / 4 * 3 && grow(groups))
        return PEX_ENOMEM;
    read_hash(rows, null, hash);
    struct group *group = find(groups, hash);
    if (group->count++ == 0) {
        memcpy(group->hash, hash, sizeof(hash));
        group->first = rows->row;
        groups->count++;
    }
    return 0;
}

static int by_first(const struct group *a, const struct group *b)
{
    return (a->first > b->first) - (a->first < b->first);
}

static int by_most(const void *a, const void *b)
{
    const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
    int order = (x->count < y->count) - (x->count > y->count);
    return order ? order : by_first(x, y);
}

static int by_fewest(const void *a, const void *b)
{
    const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
    int order = (x->count > y->count) - (x->count < y->count);
    return order ? order : by_first(x, y);
}

/* Of groups of equal size the one that came first is chosen first. */
static int32_t choose(const struct frequency_selector *frequency, struct groups *groups)
{
    uint64_t wanted;
    size_t count = 0;
    struct group **sorted = malloc((groups->count + 1) * sizeof(*sorted));
    if (!sorted)
        return PEX_ENOMEM;
    for (size_t i = 0; i <= groups->mask; i++)
        if (groups->place[i].count)
            sorted[count++] = &groups->place[i];
    pex__share_of(&frequency->share, count, &wanted);
    qsort(sorted, count, sizeof(*sorted), frequency->is_most ? by_most : by_fewest);
    for (size_t i = 0; i < count; i++)
        sorted[i]->first = i < wanted;
    free(sorted);
    return 0;
}

/* One walk that counts, and one that decides. */
static int32_t select_groups(const struct frequency_selector *frequency, pex_keys *keys,
                             struct groups *groups, const struct pex__bytes *null)
{
    struct pex__rows rows = {0};
    uint64_t hash[2];
    int32_t rc = grow(groups);
    if (!rc)
        rc = pex__rows_begin(&rows, keys);
    while (!rc && !(rc = pex__rows_next(&rows)))
        rc = count_row(groups, &rows, null);
    if (rc == PEX_ENOENT)
        rc = choose(frequency, groups);
    if (!rc)
        rc = pex__rows_begin(&rows, keys);
    while (!rc && !(rc = pex__rows_next(&rows))) {
        read_hash(&rows, null, hash);
        if (!find(groups, hash)->first)
            rc = pex_keys_decide(keys, rows.row, 0);
    }
    pex__rows_free(&rows);
    return rc == PEX_ENOENT ? 0 : rc;
}

/*
 * Memory: 32 bytes for each place of the table of different values, between a third and three
 * quarters of which are in use, and 8 for each value to sort them by.
 */
static int32_t resolve(void *instance, pex_keys *keys, struct pex_error *err)
{
    const struct frequency_selector *frequency = instance;
    const struct pex__value nothing = {.type = PEX__NULL};
    struct groups groups = {.mask = 511};
    struct pex__bytes null = {0};
    struct pex__survey survey;
    uint64_t count;
    if (!*frequency->selector.key)
        return 0;
    int32_t rc = pex__selector_survey(&frequency->selector, keys, KEY_BAD, &survey, err);
    if (rc || survey.row_count < 2)
        return rc;
    if (survey.has_bad)
        return pex_error_set(err, PEX_EDATA,
                             "row %llu: field '%s' is a list or an object, which is not counted; "
                             "name a field of texts or numbers with field_key",
                             (unsigned long long)survey.bad_row, frequency->selector.key);
    if (!pex__share_of(&frequency->share, 1, &count))
        return 0;
    rc = make_key(&frequency->selector, &nothing, &null);
    if (!rc)
        rc = select_groups(frequency, keys, &groups, &null);
    pex__bytes_free(&null);
    free(groups.place);
    return rc ? pex_error_set(err, rc, "counting the values of field '%s' failed",
                              frequency->selector.key)
              : 0;
}

static void destroy(void *instance)
{
    struct frequency_selector *frequency = instance;
    pex__selector_release(&frequency->selector);
    free(frequency);
}

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct frequency_selector *frequency = calloc(1, sizeof(*frequency));
    int32_t reverse;
    if (!frequency)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    int32_t rc = pex__selector_init(&frequency->selector, params, err);
    if (!rc)
        rc = pex__share_read(&frequency->share, params, "top_ratio", "topk", err);
    if (!rc && (rc = pex_params_bool(params, "reverse", &reverse)))
        pex_error_set(err, rc, "parameter 'reverse' cannot be read");
    if (rc) {
        destroy(frequency);
        return rc;
    }
    frequency->is_most = reverse;
    *instance = frequency;
    return 0;
}

static const struct pex_param_def params[] = {
    PEX__FIELD_KEY_PARAM,
    PEX__TOP_RATIO_PARAM("values"),
    PEX__TOPK_PARAM("values"),
    {.name = "reverse",
     .default_json = "true",
     .help = "Keep the most frequent values; false: the least frequent ones.",
     .type = PEX_PARAM_BOOL},
    PEX__NO_TEXT_KEY_PARAM,
};

static const struct pex_field_def fields[] = {{.param = "field_key", .access = PEX_FIELD_READ}};

const struct pex_operator pex__frequency_specified_field_selector = {
    .struct_size = sizeof(struct pex_operator),
    .name = "frequency_specified_field_selector",
    .version = "1",
    .help = "Keeps the rows with the most, or least, frequent values of a field, in their order.\n"
            "A field that is not there counts as null.",
    .cardinality = PEX_GLOBAL,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .destroy = destroy,
    .observe = observe,
    .resolve = resolve,
};
