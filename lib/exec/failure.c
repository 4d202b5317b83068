/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a run, and what is said of rows that failed. */
#include "base/error.h"
#include "base/memory.h"
#include "exec/run.h"

#include <stdio.h>

void pex__run_fail(struct pex__run *run, const struct pex_error *err)
{
    int is_first;

    pthread_mutex_lock(&run->error_lock);
    is_first = !run->has_failed;
    if (is_first) {
        run->error = *err;
        run->has_failed = 1;
    }
    pthread_mutex_unlock(&run->error_lock);
    if (!is_first)
        return;
    atomic_store_explicit(&run->cancelled, 1, memory_order_relaxed);
    run->hooks->failed(run);
}

int32_t pex__run_error(struct pex__run *run, struct pex_error *err)
{
    int has_failed;

    pthread_mutex_lock(&run->error_lock);
    has_failed = run->has_failed;
    if (has_failed)
        *err = run->error;
    pthread_mutex_unlock(&run->error_lock);
    return has_failed ? err->code : 0;
}

void pex__run_name_rows(const struct pex__run *run, const struct pex_row_id *first, size_t rows,
                        const char *lead, struct pex_error *err)
{
    char count[48] = "row";

    if (rows > 1)
        snprintf(count, sizeof count, "%zu rows, the first", rows);
    pex__error_prefix(err, err->code, "%s%s at byte %llu of %s", lead, count,
                      (unsigned long long)first->offset,
                      run->plan->input->sources[first->source].path);
}

/* Operator, place and reason of a reject. */
static void describe(const struct pex__run *run, const struct pex__reject *reject, size_t rows,
                     struct pex_error *err)
{
    const char *name = reject->op >= 0 ? run->plan->ops[reject->op].operator->op.name : NULL;

    pex_error_set(err, reject->code, "%s",
                  reject->message != NULL ? reject->message : pex_strerror(reject->code));
    pex__run_name_rows(run, &reject->id, rows, rows > 1 ? "one of " : "", err);
    if (name != NULL)
        pex__error_prefix(err, reject->code, "operator %s", name);
}

int32_t pex__run_fail_row(struct pex__run *run, struct pex__work *work,
                          const struct pex__reject *reject, size_t rows)
{
    if (work->failure == NULL)
        work->failure = pex__malloc(sizeof *work->failure);
    if (work->failure == NULL)
        return PEX_ENOMEM;
    work->failure->id = reject->id;
    describe(run, reject, rows, &work->failure->error);
    pex__batch_cut(work->batch, &reject->id);
    return 0;
}

static int is_before(const struct pex_row_id *a, const struct pex_row_id *b)
{
    if (a->source != b->source)
        return a->source < b->source;
    return a->offset != b->offset ? a->offset < b->offset : a->child < b->child;
}

int32_t pex__run_count_errors(const struct pex__run *run, struct pex__work *work)
{
    const struct pex__plan *plan = run->plan;
    const struct pex__reject *rejects, *first = NULL;
    size_t count;

    rejects = pex__batch_rejects(work->batch, &count);
    for (size_t i = 0; i < count; i++) {
        if (work->failure != NULL && !is_before(&rejects[i].id, &work->failure->id))
            continue;
        work->errors++;
        if (first == NULL || is_before(&rejects[i].id, &first->id))
            first = &rejects[i];
    }
    if (first == NULL || (plan->max_errors < 0 && plan->max_error_rate < 0))
        return 0;
    work->first_error = pex__malloc(sizeof *work->first_error);
    if (work->first_error == NULL)
        return PEX_ENOMEM;
    describe(run, first, 1, work->first_error);
    return 0;
}
