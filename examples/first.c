/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <partexec/partexec.h>

int main(void)
{
    const char *text = "{\"dataset_path\": \"in.jsonl\", \"export_path\": \"out.jsonl\","
                       " \"process\": [\"whitespace_normalization_mapper\","
                       "               {\"text_length_filter\": {\"min_len\": 20}}]}";
    struct pex_error err = {0};
    pex_context *ctx = NULL;
    pex_spec *spec = NULL;
    pex_job *job = NULL;

    int failed = pex_context_create(NULL, &ctx, &err) ||            /* threads, memory, registry */
                 pex_plugin_load(ctx, "text", &err) ||              /* operators on text */
                 pex_spec_parse(text, strlen(text), &spec, &err) || /* what is to be done */
                 pex_job_submit(ctx, spec, NULL, NULL, &job, &err) || /* runs from here on */
                 pex_job_wait(job, -1) ||                             /* to its end */
                 pex_job_error(job, &err);                            /* how it ended */
    if (failed)
        fprintf(stderr, "%s\n", err.message);

    pex_job_release(job);
    pex_spec_release(spec);
    pex_context_destroy(ctx, -1, NULL);
    return failed;
}
