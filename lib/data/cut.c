/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts between partitions, and row counts: both walk along the starts of rows. */
#include "data/cut_walk.h"

#include <assert.h>

/* One row can be read from several frames on, so places in one source compare by the row. Others
 * share an offset only with files of 0 bytes in front of them. */
static int is_behind(const struct pex__place *cut, const struct pex__place *last)
{
    if (cut->source == last->source)
        return cut->row > last->row;
    return cut->at > last->at || (cut->at == last->at && cut->row > 0);
}

/* Adds a cut unless it would leave a partition without a row. */
static void add_cut(const struct pex__input *input, const struct pex__place *cut,
                    struct pex__place *cuts, size_t *count)
{
    struct pex__place made = *cut;

    if (!is_behind(cut, &cuts[*count - 1]))
        return;
    /* Text files of 0 bytes that begin at the same offset are behind the cut as well. */
    while (made.row == 0 && made.source > 0 && input->sources[made.source - 1].begin == made.at)
        made.source--;
    cuts[(*count)++] = made;
}

/* cuts[0 .. count) become *parts partitions, closed by the end of the input. */
static void close_cuts(const struct pex__input *input, struct pex__place *cuts, size_t count,
                       size_t *parts)
{
    /* Text files of 0 bytes at the end start where the input ends: they belong to the last part. */
    while (count > 1 && cuts[count - 1].at == input->bytes)
        count--;
    cuts[count] = (struct pex__place){input->bytes, 0, 0, input->source_count};
    *parts = count;
}

/* floor(i * bytes / want) without overflow. */
static uint64_t target(uint64_t bytes, size_t want, size_t i)
{
    return bytes / want * i + bytes % want * i / want;
}

static int32_t cut_at_targets(struct pex__walk *walk, size_t want, struct pex__place *cuts,
                              size_t *count, struct pex_error *err)
{
    const struct pex__input *input = walk->input;
    struct pex__place first, row;
    int32_t code = pex__walk_seek(walk, 0, err);

    if (code == 0)
        code = pex__walk_next(walk, &first, err);
    if (code != 0)
        return code;
    row = first;
    cuts[0] = (struct pex__place){0};
    *count = 1;
    for (size_t i = 1; i < want && !pex__place_is_end(&row, input); i++) {
        uint64_t offset = target(input->bytes, want, i);

        /* No row starts between the last target and `row`, and none is in front of the first. */
        if (offset <= row.at)
            continue;
        code = pex__walk_seek(walk, offset, err);
        if (code == 0)
            code = pex__walk_next(walk, &row, err);
        if (code != 0)
            return code;
        /* Frames of blank lines lead to the first row again, from behind its own place. */
        if (!pex__place_is_end(&row, input) && (row.source != first.source || row.row != first.row))
            add_cut(input, &row, cuts, count);
    }
    return 0;
}

int32_t pex__input_count_rows(const struct pex__input *input, uint64_t limit, uint64_t *rows,
                              struct pex_error *err)
{
    struct pex__place row = {0};
    struct pex__walk walk;
    uint64_t count = 0;
    int32_t code = pex__walk_begin(&walk, input, err);

    if (code == 0)
        code = pex__walk_seek(&walk, 0, err);
    while (count < limit && code == 0) {
        code = pex__walk_next(&walk, &row, err);
        if (pex__place_is_end(&row, input))
            break;
        count += code == 0;
    }
    pex__walk_end(&walk);
    if (code == 0)
        *rows = count;
    return code;
}

/* Walks to row number `number` (from 0), having passed *passed rows; its start goes to *row. */
static int32_t walk_to(struct pex__walk *walk, uint64_t number, uint64_t *passed,
                       struct pex__place *row, struct pex_error *err)
{
    int32_t code = 0;

    while (*passed <= number && code == 0) {
        code = pex__walk_next(walk, row, err);
        ++*passed;
    }
    return code;
}

/* *end (NULL allowed): behind the last of the rows. */
static int32_t cut_at_rows(struct pex__walk *walk, uint64_t rows, size_t want,
                           struct pex__place *cuts, size_t *count, struct pex__place *end,
                           struct pex_error *err)
{
    struct pex__place row = {0};
    uint64_t passed = 0;
    int32_t code = pex__walk_seek(walk, 0, err);

    cuts[0] = (struct pex__place){0};
    *count = 1;
    for (uint64_t i = 1; i < want && code == 0; i++) {
        uint64_t more = i < rows % want ? i : rows % want;

        code = walk_to(walk, rows / want * i + more, &passed, &row, err);
        /* The rows can be fewer than counted only if the file changed, which the next read finds.
         */
        if (code == 0 && !pex__place_is_end(&row, walk->input))
            add_cut(walk->input, &row, cuts, count);
    }
    if (code == 0 && end != NULL)
        code = walk_to(walk, rows, &passed, end, err);
    return code;
}

int32_t pex__input_cut_rows(const struct pex__input *input, uint64_t limit, size_t want,
                            struct pex__place *cuts, size_t *count, struct pex_error *err)
{
    struct pex__walk walk;
    struct pex__place end = {0};
    uint64_t rows = 0;
    size_t made = 1;
    int32_t code = pex__input_count_rows(input, limit, &rows, err);

    assert(want >= 1);
    if (code != 0)
        return code;
    if (want > rows)
        want = rows > 0 ? (size_t)rows : 1;
    code = pex__walk_begin(&walk, input, err);
    if (code == 0)
        code = cut_at_rows(&walk, rows, want, cuts, &made, rows == limit ? &end : NULL, err);
    pex__walk_end(&walk);
    if (code != 0)
        return code;
    close_cuts(input, cuts, made, count);
    if (rows == limit && !pex__place_is_end(&end, input))
        cuts[*count] = end;
    return 0;
}

int32_t pex__input_cut_bytes(const struct pex__input *input, size_t want, struct pex__place *cuts,
                             size_t *count, struct pex_error *err)
{
    struct pex__walk walk;
    uint64_t rows = 0;
    size_t made = 1;
    int32_t code = pex__walk_begin(&walk, input, err);

    assert(want >= 1);
    if (code == 0)
        code = cut_at_targets(&walk, want, cuts, &made, err);
    pex__walk_end(&walk);
    if (code != 0)
        return code;
    close_cuts(input, cuts, made, count);
    if (*count == want || pex__input_compressed(input) > 0)
        return 0;
    /* Few rows of unlike length: so many partitions as there are rows, not fewer. */
    code = pex__input_count_rows(input, (uint64_t)want + 1, &rows, err);
    if (code == 0 && rows <= want && rows > *count)
        code = pex__input_cut_rows(input, UINT64_MAX, want, cuts, count, err);
    return code;
}
