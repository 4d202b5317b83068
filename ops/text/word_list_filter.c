/* SPDX-License-Identifier: Apache-2.0 */
/* stopwords_filter and flagged_words_filter: the share of words that stand in a list. */
#include "bytes.h"
#include "filter.h"
#include "operators.h"
#include "word_list.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list_filter {
    struct pex__filter filter;
    struct pex__word_list *list;
    int64_t *group; /* so many words are put together, and looked for too */
    size_t group_count;
    char *join;
    size_t join_length;
};

/* What the filter made of the batch. */
struct work {
    const struct pex__words *words;
    struct pex__bytes joined;
};

static const char *const bounds[2] = {"min_ratio", "max_ratio"};

static size_t count_words(const struct list_filter *list, const struct pex__words *words)
{
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct pex__word *word = &words->word[i];
        count += pex__word_list_has(list->list, words->text + word->start, word->end - word->start);
    }
    return count;
}

static int32_t join(const struct list_filter *list, const struct pex__words *words, size_t first,
                    size_t size, struct pex__bytes *out)
{
    int32_t rc = 0;
    out->length = 0;
    for (size_t i = first; !rc && i < first + size; i++) {
        if (i > first)
            rc = pex__bytes_append(out, list->join, list->join_length);
        if (!rc)
            rc = pex__bytes_append(out, words->text + words->word[i].start,
                                   words->word[i].end - words->word[i].start);
    }
    return rc;
}

/* Counts the groups of `size` words of which the list has what they give together. Those that are
 * longer than any word of the list are not put together. */
static int32_t count_groups(const struct list_filter *list, const struct pex__words *words,
                            size_t size, struct pex__bytes *out, size_t *count)
{
    size_t longest = pex__word_list_longest(list->list), length = (size - 1) * list->join_length;
    int32_t rc = 0;
    for (size_t end = 0; !rc && end < words->count; end++) {
        length += words->word[end].end - words->word[end].start;
        if (end + 1 < size)
            continue;
        size_t first = end + 1 - size;
        if (length <= longest) {
            rc = join(list, words, first, size, out);
            *count += !rc && pex__word_list_has(list->list, out->data, out->length);
        }
        length -= words->word[first].end - words->word[first].start;
    }
    return rc;
}

static int32_t measure(const struct pex__filter *filter, const struct pex__measuring *at,
                       struct pex_number *stat)
{
    const struct list_filter *list = (const struct list_filter *)(const void *)filter;
    struct work *work = at->work;
    const struct pex__words *words = &work->words[at->row];
    size_t total = words->count, count = count_words(list, words);
    int32_t rc = 0;
    for (size_t i = 0; !rc && i < list->group_count; i++) {
        if ((uint64_t)list->group[i] > words->count)
            continue;
        rc = count_groups(list, words, (size_t)list->group[i], &work->joined, &count);
        total += words->count - (size_t)list->group[i] + 1;
    }
    *stat = (struct pex_number){.type = PEX_NUMBER_DOUBLE};
    if (total)
        stat->float64 = (double)count / (double)total;
    return rc;
}

static void destroy(void *instance)
{
    struct list_filter *list = instance;
    pex__word_list_free(list->list);
    free(list->group);
    free(list->join);
    pex__filter_destroy(list);
}

static int32_t read_groups(struct list_filter *list, const pex_params *params,
                           struct pex_error *err)
{
    int64_t count = pex_params_count(params, "words_aug_group_sizes");
    struct pex_string_view character;
    int32_t rc = pex_params_string(params, "words_aug_join_char", &character);
    if (rc || count < 0)
        return pex_error_set(err, rc ? rc : (int32_t)count, "the parameters cannot be read");
    list->group = calloc((size_t)count + 1, sizeof(*list->group));
    list->join = malloc(character.length + 1);
    if (!list->group || !list->join)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    memcpy(list->join, character.data, character.length);
    list->join_length = character.length;
    list->group_count = (size_t)count;
    for (size_t i = 0; !rc && i < list->group_count; i++)
        rc = pex_params_int64_at(params, "words_aug_group_sizes", i, &list->group[i]);
    return rc;
}

static int32_t read_list(const char *kind, const pex_params *params, struct pex__word_list **list,
                         struct pex_error *err)
{
    struct pex_string_view folder = {0}, language;
    char name[64];
    snprintf(name, sizeof(name), "%s_dir", kind);
    int32_t rc = pex_params_string(params, "lang", &language);
    if (!rc && pex_params_is_null(params, name) != 1)
        rc = pex_params_string(params, name, &folder);
    if (rc)
        return pex_error_set(err, rc, "parameters '%s' and 'lang' cannot be read", name);
    return pex__word_list_read(kind, folder, language, list, err);
}

static int32_t create(const char *kind, pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    struct list_filter *list = calloc(1, sizeof(*list));
    int32_t is_augmented = 0, rc;
    if (!list)
        return pex_error_set(err, PEX_ENOMEM, "out of memory for an instance");
    if (!(rc = pex__filter_init(&list->filter, env, params, bounds, err)) &&
        !(rc = pex_params_bool(params, "use_words_aug", &is_augmented)) &&
        !(rc = read_list(kind, params, &list->list, err)) && is_augmented)
        rc = read_groups(list, params, err);
    if (rc) {
        destroy(list);
        return rc;
    }
    list->filter.measure = measure;
    *instance = list;
    return 0;
}

static int32_t check(const char *kind, const pex_params *params, struct pex_error *err)
{
    struct pex__word_list *list;
    int64_t size;
    int32_t rc = pex__tokenization_check(params, err);
    for (size_t i = 0; !rc && !pex_params_int64_at(params, "words_aug_group_sizes", i, &size); i++)
        if (size < 1)
            rc = pex_error_set(err, PEX_EINVAL,
                               "parameter 'words_aug_group_sizes': %lld words make no group; "
                               "give numbers from 1 on",
                               (long long)size);
    if (!rc)
        rc = read_list(kind, params, &list, err);
    if (!rc)
        pex__word_list_free(list);
    return rc;
}

static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct pex__filter *filter = instance;
    const struct pex_string_view *texts;
    const uint8_t *states;
    struct work work = {0};
    int32_t rc = pex_batch_strings(batch, PEX__FIELD_TEXT, &texts, &states);
    if (rc)
        return rc;
    work.words = pex__words_of(batch, filter->kernel, texts, states, true);
    rc = work.words ? pex__filter_rows(filter, batch, texts, states, &work) : PEX_ENOMEM;
    pex__bytes_free(&work.joined);
    return rc;
}

#define LIST_PARAMS                                                                                \
    {.name = "lang",                                                                               \
     .default_json = "\"en\"",                                                                     \
     .help = "The language of the list; \"all\": the lists of all languages together.",            \
     .type = PEX_PARAM_STRING},                                                                    \
        {.name = "use_words_aug",                                                                  \
         .default_json = "false",                                                                  \
         .help = "Whether neighbours put together count as words, too.",                           \
         .type = PEX_PARAM_BOOL},                                                                  \
        {.name = "words_aug_group_sizes",                                                          \
         .default_json = "[2]",                                                                    \
         .help = "So many neighbours are put together.",                                           \
         .type = PEX_PARAM_INT64S},                                                                \
    {                                                                                              \
        .name = "words_aug_join_char", .default_json = "\"\"",                                     \
        .help = "What stands between neighbours that are put together.", .type = PEX_PARAM_STRING  \
    }

static int32_t stopwords_create(pex_env *env, const pex_params *params, void **instance,
                                struct pex_error *err)
{
    return create("stopwords", env, params, instance, err);
}

static int32_t stopwords_check(const pex_params *params, struct pex_error *err)
{
    return check("stopwords", params, err);
}

static const struct pex_param_def stopwords_params[] = {
    {.name = "stopwords_dir",
     .default_json = "null",
     .help = "Folder with the lists: files *stopwords*.json, {\"en\": [\"word\", ..]}.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "min_ratio",
     .default_json = "0.3",
     .help = "Smallest share of words of the list to keep.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_ratio",
     .default_json = "1.0",
     .help = "Largest share of words of the list to keep.",
     .type = PEX_PARAM_DOUBLE},
    LIST_PARAMS,
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
    PEX__TOKENIZATION_PARAM,
};

static const struct pex_field_def stopwords_fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "stopwords_ratio",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__stopwords_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "stopwords_filter",
    .version = "1",
    .help = "Keeps rows whose text has a share of stop words in a range.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = stopwords_params,
    .param_count = sizeof(stopwords_params) / sizeof(stopwords_params[0]),
    .param_stride = sizeof(stopwords_params[0]),
    .fields = stopwords_fields,
    .field_count = sizeof(stopwords_fields) / sizeof(stopwords_fields[0]),
    .field_stride = sizeof(stopwords_fields[0]),
    .create = stopwords_create,
    .process = process,
    .destroy = destroy,
    .check = stopwords_check,
};

static int32_t flagged_create(pex_env *env, const pex_params *params, void **instance,
                              struct pex_error *err)
{
    return create("flagged_words", env, params, instance, err);
}

static int32_t flagged_check(const pex_params *params, struct pex_error *err)
{
    return check("flagged_words", params, err);
}

static const struct pex_param_def flagged_params[] = {
    {.name = "flagged_words_dir",
     .default_json = "null",
     .help = "Folder with the lists: files *flagged_words*.json, {\"en\": [\"word\", ..]}.",
     .type = PEX_PARAM_STRING,
     .flags = PEX_PARAM_NULLABLE},
    {.name = "min_ratio",
     .default_json = "0.0",
     .help = "Smallest share of words of the list to keep.",
     .type = PEX_PARAM_DOUBLE},
    {.name = "max_ratio",
     .default_json = "0.045",
     .help = "Largest share of words of the list to keep.",
     .type = PEX_PARAM_DOUBLE},
    LIST_PARAMS,
    PEX__INTERVAL_PARAMS,
    PEX__TEXT_KEY_PARAM,
    PEX__TOKENIZATION_PARAM,
};

static const struct pex_field_def flagged_fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ},
    [PEX__FIELD_STAT] = {.name = "flagged_words_ratio",
                         .kind = PEX_FIELD_STAT,
                         .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__flagged_words_filter = {
    .struct_size = sizeof(struct pex_operator),
    .name = "flagged_words_filter",
    .version = "1",
    .help = "Keeps rows whose text has a share of flagged words in a range.",
    .cardinality = PEX_FILTER,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = flagged_params,
    .param_count = sizeof(flagged_params) / sizeof(flagged_params[0]),
    .param_stride = sizeof(flagged_params[0]),
    .fields = flagged_fields,
    .field_count = sizeof(flagged_fields) / sizeof(flagged_fields[0]),
    .field_stride = sizeof(flagged_fields[0]),
    .create = flagged_create,
    .process = process,
    .destroy = destroy,
    .check = flagged_check,
};
