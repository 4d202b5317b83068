/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest host: reads rows from INPUT, cleans and filters them, writes OUTPUT. */
#include <stdio.h>

#include <partexec/partexec.h>

static const char job_text[] = "{\"process\": [{\"whitespace_normalization_mapper\": {}},"
                               "              {\"text_length_filter\": {\"min_len\": 20}}]}";

int main(int argc, char **argv)
{
    pex_context *ctx = NULL;
    pex_spec *spec = NULL;
    pex_job *job = NULL;
    char *summary = NULL;
    struct pex_error err = {0};

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: host INPUT OUTPUT [PLUGIN]\n");
        return 2;
    }
    int32_t rc = pex_context_create(NULL, &ctx, &err);
    if (rc == 0)
        rc = pex_plugin_load(ctx, argc == 4 ? argv[3] : "text", &err);
    if (rc == 0)
        rc = pex_spec_parse(job_text, sizeof(job_text) - 1, &spec, &err);
    if (rc == 0)
        rc = pex_spec_set(spec, "dataset_path", argv[1], &err);
    if (rc == 0)
        rc = pex_spec_set(spec, "export_path", argv[2], &err);
    if (rc == 0)
        rc = pex_job_submit(ctx, spec, NULL, NULL, &job, &err);
    if (rc == 0)
        rc = pex_job_wait(job, -1);
    if (rc == 0)
        rc = pex_job_error(job, &err);
    if (rc == 0)
        rc = pex_job_summary(job, &summary);

    if (rc == 0)
        puts(summary);
    else
        fprintf(stderr, "host: %s\n", err.message[0] ? err.message : pex_strerror(rc));
    pex_free(summary);
    pex_job_release(job);
    pex_spec_release(spec);
    pex_context_destroy(ctx, -1, NULL);
    return rc == 0 ? 0 : 1;
}
