/* SPDX-License-Identifier: Apache-2.0 */
/* A host without files: rows from standard input through memory, the good ones to standard output,
 * the record of each bad one to standard error. */
#include <stdio.h>
#include <stdlib.h>

#include <partexec/partexec.h>

static const char job_text[] = "{\"process\": [{\"whitespace_normalization_mapper\": {}},"
                               "              {\"text_length_filter\": {\"min_len\": 20}}]}";

static void on_event(void *user, const struct pex_event *event)
{
    (void)user;
    if (event->kind == PEX_EVENT_ROW)
        fprintf(stderr, "%s\n", event->text);
}

static char *read_input(size_t *length)
{
    size_t size = 0, room = 65536;
    char *rows = malloc(room);

    while (rows != NULL) {
        size_t got = fread(rows + size, 1, room - size, stdin);

        size += got;
        if (got == 0)
            break;
        if (size == room) {
            char *more = realloc(rows, room *= 2);

            if (more == NULL)
                free(rows);
            rows = more;
        }
    }
    *length = size;
    return rows;
}

/* Takes all rows, to the end of the job: PEX_ENOENT. */
static int32_t print_rows(pex_job *job, struct pex_error *err)
{
    pex_rows *rows = NULL;
    int32_t rc;

    while ((rc = pex_job_next_batch(job, -1, &rows, err)) == 0) {
        struct pex_string_view data = pex_rows_data(rows);

        fwrite(data.data, 1, data.length, stdout);
        pex_rows_release(rows);
    }
    return rc == PEX_ENOENT ? 0 : rc;
}

int main(int argc, char **argv)
{
    struct pex_memory_options memory = {
        .struct_size = sizeof memory, .identity = "stdin", .release = free};
    struct pex_job_options options = {
        .struct_size = sizeof options, .pull = 1, .on_event = on_event, .row_events = 1};
    struct pex_string_view buffer;
    pex_context *ctx = NULL;
    pex_dataset *dataset = NULL;
    pex_spec *spec = NULL;
    pex_job *job = NULL;
    struct pex_error err = {0};
    char *rows = read_input(&buffer.length);

    memory.user = rows;
    buffer.data = rows;
    int32_t rc = rows != NULL ? pex_context_create(NULL, &ctx, &err) : PEX_ENOMEM;
    if (rc == 0)
        rc = pex_plugin_load(ctx, argc > 1 ? argv[1] : "text", &err);
    if (rc == 0)
        rc = pex_spec_parse(job_text, sizeof(job_text) - 1, &spec, &err);
    if (rc == 0)
        rc = pex_dataset_from_memory(ctx, &buffer, 1, &memory, &dataset, &err);
    if (rc == 0)
        rc = pex_job_submit(ctx, spec, dataset, &options, &job, &err);
    if (rc == 0)
        rc = print_rows(job, &err);
    if (rc == 0)
        rc = pex_job_wait(job, -1); /* the events that are still due */
    if (rc != 0)
        fprintf(stderr, "memory: %s\n", err.message[0] ? err.message : pex_strerror(rc));
    if (dataset == NULL)
        free(rows); /* nobody took them over */
    pex_dataset_release(dataset);
    pex_job_release(job);
    pex_spec_release(spec);
    pex_context_destroy(ctx, -1, NULL);
    return rc == 0 ? 0 : 1;
}
