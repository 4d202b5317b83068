/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"
#include "base/clock.h"
#include "job/job.h"

#include <string.h>
#include <sys/resource.h>

const char *pex__job_state_name(int32_t state)
{
    static const char *const names[] = {"pending", "running", "done", "failed", "cancelled"};

    return state >= 0 && state <= PEX_JOB_CANCELLED ? names[state] : "unknown";
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void add_input(const struct pex_job *job, struct pex__buffer *out)
{
    pex__buffer_print(out,
                      "  \"input\": {\"files\": %zu, \"bytes\": %llu, \"lines\": %llu, \"rows\": %llu, "
                      "\"blank\": %llu, \"bad\": %llu},\n",
                      job->input->source_count, (unsigned long long)job->input->bytes,
                      (unsigned long long)job->lines, (unsigned long long)job->rows,
                      (unsigned long long)job->blank, (unsigned long long)job->bad);
}

static uint64_t quarantined(const struct pex_job *job)
{
    uint64_t sum = job->bad;

    for (size_t i = 0; i < job->plan->op_count; i++)
        sum += job->tallies[i].quarantined;
    return sum;
}

static void add_partitions(const struct pex_job *job, struct pex__buffer *out)
{
    pex__buffer_print(out,
                      "  \"partitions\": {\"total\": %zu, \"committed\": %zu, \"empty\": %zu, "
                      "\"reused\": 0, \"failed\": %zu, \"cancelled\": %zu, \"skipped\": %zu, "
                      "\"active_max\": %zu},\n",
                      job->plan->partition_count, job->committed, job->empty, job->failed,
                      job->cancelled, job->skipped, job->active_max);
}

static void add_operator(const struct pex_job *job, size_t i, struct pex__buffer *out)
{
    const struct pex__tally *t = &job->tallies[i];
    const struct pex__op_use *use = &job->uses[i];

    pex__buffer_print(out, "%s    {\"index\": %zu, \"name\": ", i == 0 ? "\n" : ",\n", i);
    pex__buffer_json(out, job->plan->ops[i].operator->op.name,
                     strlen(job->plan->ops[i].operator->op.name));
    pex__buffer_print(out,
                      ", \"in\": %llu, \"added\": %llu, \"out\": %llu, \"dropped\": %llu, "
                      "\"quarantined\": %llu, \"skipped\": %llu, \"calls\": %llu, \"created\": %llu, "
                      "\"destroyed\": %llu, \"lease_max\": %d, \"seconds\": %.6f}",
                      (unsigned long long)t->in, (unsigned long long)t->added,
                      (unsigned long long)t->out, (unsigned long long)t->dropped,
                      (unsigned long long)t->quarantined, (unsigned long long)t->skipped,
                      (unsigned long long)t->calls, (unsigned long long)use->created,
                      (unsigned long long)use->destroyed, (int)use->lease_max, (double)t->ns / 1e9);
}

char *pex__job_summary_text(const struct pex_job *job, int32_t state, const struct pex_error *error)
{
    struct pex__buffer out = {0};
    double seconds = (double)(pex__now_ns() - job->started_ns) / 1e9;
    double cpu = (double)(pex__process_cpu_ns() - job->started_cpu_ns) / 1e9;

    pex__buffer_text(&out, "{\n  \"version\": 1,\n  \"job_id\": ");
    pex__buffer_json(&out, job->id, strlen(job->id));
    pex__buffer_print(&out, ",\n  \"state\": \"%s\",\n  \"error\": ", pex__job_state_name(state));
    if (error->code != 0)
        pex__buffer_json(&out, error->message, strlen(error->message));
    else
        pex__buffer_text(&out, "null");
    pex__buffer_print(&out,
                      ",\n  \"seconds\": %.6f,\n  \"cpu_seconds\": %.6f,\n  \"peak_bytes\": %llu,\n"
                      "  \"workers\": %d,\n",
                      seconds, cpu, (unsigned long long)peak_bytes(),
                      (int)job->run.engine->worker_count);
    add_input(job, &out);
    pex__buffer_print(&out, "  \"output\": {\"rows\": %llu, \"bytes\": %llu, \"files\": %d},\n",
                      (unsigned long long)job->rows_out, (unsigned long long)job->bytes_out,
                      !job->is_pull && state == PEX_JOB_DONE);
    pex__buffer_print(&out, "  \"quarantined\": %llu,\n", (unsigned long long)quarantined(job));
    add_partitions(job, &out);
    pex__buffer_text(&out, "  \"operators\": [");
    for (size_t i = 0; i < job->plan->op_count; i++)
        add_operator(job, i, &out);
    pex__buffer_text(&out, job->plan->op_count > 0 ? "\n  ]\n}\n" : "]\n}\n");
    /* A buffer that ran out of memory on the way has no end. */
    if (out.length == 0 || out.data[out.length - 1] != '\n' || pex__buffer_add(&out, "", 1) != 0) {
        pex__buffer_free(&out);
        return NULL;
    }
    return out.data;
}
