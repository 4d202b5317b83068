/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"
#include "base/clock.h"
#include "job/job.h"

#include <stdio.h>
#include <string.h>

const char *pex__job_state_name(int32_t state)
{
    static const char *const names[] = {"pending", "running", "done", "failed", "cancelled"};

    return state >= 0 && state <= PEX_JOB_CANCELLED ? names[state] : "unknown";
}

/* Of this process image: getrusage would count what its parent held before the exec. */
static uint64_t peak_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    unsigned long long kib = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib * 1024;
}

static int32_t add_input(const struct pex_job *job, struct pex__buffer *out)
{
    uint64_t bytes = job->has_feed ? atomic_load_explicit(&job->bytes_read, memory_order_relaxed)
                                   : job->input->bytes;

    return pex__buffer_print(out,
                             "  \"input\": {\"files\": %zu, \"bytes\": %llu, \"lines\": %llu, "
                             "\"rows\": %llu, \"blank\": %llu, \"bad\": %llu},\n",
                             job->input->source_count, (unsigned long long)bytes,
                             (unsigned long long)job->lines, (unsigned long long)job->rows,
                             (unsigned long long)job->blank, (unsigned long long)job->bad);
}

/* Of a job that published nothing: how far it came. */
static int32_t add_output(const struct pex_job *job, const struct pex__export *published,
                          struct pex__buffer *out)
{
    uint64_t bytes = published != NULL ? published->bytes : job->bytes_out;

    return pex__buffer_print(out,
                             "  \"output\": {\"rows\": %llu, \"bytes\": %llu, \"files\": %zu},\n",
                             (unsigned long long)job->rows_out, (unsigned long long)bytes,
                             published != NULL ? published->file_count : 0);
}

static uint64_t quarantined(const struct pex_job *job)
{
    uint64_t sum = job->bad;

    for (size_t i = 0; i < job->plan->op_count; i++)
        sum += job->tallies[i].quarantined;
    return sum;
}

static int32_t add_partitions(const struct pex_job *job, struct pex__buffer *out)
{
    return pex__buffer_print(out,
                             "  \"partitions\": {\"total\": %zu, \"committed\": %zu, "
                             "\"empty\": %zu, \"reused\": 0, \"failed\": %zu, "
                             "\"cancelled\": %zu, \"skipped\": %zu, \"active_max\": %zu},\n",
                             job->plan->partition_count, job->committed, job->empty, job->failed,
                             job->cancelled, job->skipped, job->active_max);
}

/* What the operator wants the user to know; names need no escapes. */
static int32_t add_notes(const struct pex__notes *notes, struct pex__buffer *out)
{
    int32_t failed = 0;

    for (size_t i = 0; i < notes->count; i++)
        failed |= pex__buffer_print(out, "%s\"%s\": %llu", i == 0 ? ", \"notes\": {" : ", ",
                                    notes->note[i].name, (unsigned long long)notes->note[i].value);
    if (notes->count > 0)
        failed |= pex__buffer_text(out, "}");
    return failed;
}

static int32_t add_operator(const struct pex_job *job, size_t i, struct pex__buffer *out)
{
    const struct pex__tally *t = &job->tallies[i];
    const struct pex__op_use *use = &job->uses[i];
    const char *name = job->plan->ops[i].operator->op.name;
    int32_t failed = 0;

    failed |= pex__buffer_print(out, "%s    {\"index\": %zu, \"name\": ", i == 0 ? "\n" : ",\n", i);
    failed |= pex__buffer_json(out, name, strlen(name));
    failed |= pex__buffer_print(
        out,
        ", \"in\": %llu, \"added\": %llu, \"out\": %llu, \"dropped\": %llu, "
        "\"quarantined\": %llu, \"skipped\": %llu, \"calls\": %llu, \"created\": %llu, "
        "\"destroyed\": %llu, \"lease_max\": %d, ",
        (unsigned long long)t->in, (unsigned long long)t->added, (unsigned long long)t->out,
        (unsigned long long)t->dropped, (unsigned long long)t->quarantined,
        (unsigned long long)t->skipped, (unsigned long long)t->calls,
        (unsigned long long)use->created, (unsigned long long)use->destroyed, (int)use->lease_max);
    if (job->plan->keep_dropped)
        failed |= pex__buffer_print(
            out, "\"would_drop\": %llu, \"run_in\": %llu, \"run_dropped\": %llu, ",
            (unsigned long long)t->spared, (unsigned long long)t->reached,
            (unsigned long long)t->lost);
    failed |= pex__buffer_text(out, "\"seconds\": ");
    failed |= pex__buffer_seconds(out, t->ns);
    failed |= add_notes(&job->notes[i], out);
    failed |= pex__buffer_text(out, "}");
    return failed;
}

static int32_t add_head(const struct pex_job *job, int32_t state, const struct pex_error *error,
                        struct pex__buffer *out)
{
    int32_t failed = 0;

    failed |= pex__buffer_text(out, "{\n  \"version\": 1,\n  \"job_id\": ");
    failed |= pex__buffer_json(out, job->id, strlen(job->id));
    failed |= pex__buffer_print(
        out, ",\n  \"state\": \"%s\",\n  \"error\": ", pex__job_state_name(state));
    if (error->code != 0)
        failed |= pex__buffer_json(out, error->message, strlen(error->message));
    else
        failed |= pex__buffer_text(out, "null");
    failed |= pex__buffer_text(out, ",\n  \"seconds\": ");
    failed |= pex__buffer_seconds(out, pex__now_ns() - job->started_ns);
    failed |= pex__buffer_text(out, ",\n  \"cpu_seconds\": ");
    failed |= pex__buffer_seconds(out, pex__process_cpu_ns() - job->started_cpu_ns);
    failed |=
        pex__buffer_print(out, ",\n  \"peak_bytes\": %llu,\n  \"workers\": %d,\n",
                          (unsigned long long)peak_bytes(), (int)job->run.engine->worker_count);
    return failed;
}

/* Every step is tried; `failed` is not 0 if one of them found no memory. */
char *pex__job_summary_text(const struct pex_job *job, int32_t state, const struct pex_error *error)
{
    struct pex__buffer out = {0};
    char *text = NULL;
    int32_t failed = add_head(job, state, error, &out);

    failed |= add_input(job, &out);
    failed |= add_output(job, state == PEX_JOB_DONE ? job->export : NULL, &out);
    failed |=
        pex__buffer_print(&out, "  \"quarantined\": %llu,\n", (unsigned long long)quarantined(job));
    failed |= add_partitions(job, &out);
    failed |= pex__buffer_text(&out, "  \"operators\": [");
    for (size_t i = 0; i < job->plan->op_count; i++)
        failed |= add_operator(job, i, &out);
    failed |= pex__buffer_text(&out, job->plan->op_count > 0 ? "\n  ]\n}\n" : "]\n}\n");
    if (failed == 0)
        failed = pex__buffer_give(&out, &text);
    pex__buffer_free(&out);
    return failed == 0 ? text : NULL;
}
