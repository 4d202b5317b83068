/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that hang or take the process down. */
#include "lab.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define FIELD_ID 0

struct halt {
    int64_t on_id;
    char *file;
    bool ignores_cancel;
    char how;
};

static void destroy(void *instance)
{
    struct halt *halt = instance;
    free(halt->file);
    free(halt);
}

static struct halt *make(const pex_params *params, const char *file_param)
{
    struct halt *halt = calloc(1, sizeof(*halt));
    if (!halt)
        return NULL;
    halt->on_id = pex__lab_int64(params, "on_id");
    halt->file = pex__lab_string(params, file_param);
    if (halt->file)
        return halt;
    free(halt);
    return NULL;
}

static int32_t has_row(const struct halt *halt, pex_batch *batch, bool *is_there)
{
    const int64_t *ids;
    const uint8_t *states;
    int32_t rc = pex_batch_int64(batch, FIELD_ID, &ids, &states);
    size_t rows = pex_batch_rows(batch);
    *is_there = halt->on_id < 0;
    for (size_t row = 0; !rc && row < rows; row++)
        *is_there |= states[row] == PEX_STATE_VALUE && ids[row] == halt->on_id;
    return rc;
}

static int32_t create_hang(pex_env *env, const pex_params *params, void **instance,
                           struct pex_error *err)
{
    struct halt *halt = make(params, "until_file");
    if (!halt)
        return pex__lab_no_memory(err);
    halt->ignores_cancel = pex__lab_bool(params, "ignore_cancel");
    *instance = halt;
    return 0;
}

static int32_t process_hang(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct halt *halt = instance;
    bool is_there;
    int32_t rc = has_row(halt, batch, &is_there);
    while (!rc && is_there && !(halt->file[0] && pex__lab_file_exists(halt->file)))
        rc = pex__lab_sleep(2000, halt->ignores_cancel ? NULL : batch);
    return rc;
}

static int32_t create_crash(pex_env *env, const pex_params *params, void **instance,
                            struct pex_error *err)
{
    struct pex_string_view how = {"abort", 5};
    struct halt *halt = make(params, "once_file");
    if (!halt)
        return pex__lab_no_memory(err);
    (void)pex_params_string(params, "how", &how);
    halt->how = how.data[0];
    *instance = halt;
    return 0;
}

/* False if the file says that a crash has been. */
static bool may_crash(const char *once_file)
{
    if (!once_file[0])
        return true;
    int file = open(once_file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    close(file);
    return true;
}

/* As a fault does: whatever this thread blocks and this process handles. */
static void die_by(int number)
{
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

static int32_t process_crash(void *instance, pex_batch *batch, struct pex_error *err)
{
    const struct halt *halt = instance;
    bool is_there;
    int32_t rc = has_row(halt, batch, &is_there);
    if (rc || !is_there || !may_crash(halt->file))
        return rc;
    switch (halt->how) {
    case 's':
        die_by(SIGSEGV);
        break;
    case 'k':
        raise(SIGKILL);
        break;
    case 'e':
        _exit(3);
    default:
        abort();
    }
    return 0;
}

static const struct pex_param_def hang_params[] = {
    LAB_FIELD_PARAM,
    {.name = "on_id",
     .default_json = "-1",
     .help = "Hang in the call that has a row with this value of the field; -1: in every call.",
     .type = PEX_PARAM_INT64},
    {.name = "until_file",
     .default_json = "\"\"",
     .help = "Go on once this file exists.",
     .type = PEX_PARAM_STRING},
    {.name = "ignore_cancel",
     .default_json = "false",
     .help = "Hang also when the job is cancelled.",
     .type = PEX_PARAM_BOOL},
};

static const struct pex_param_def crash_params[] = {
    LAB_FIELD_PARAM,
    {.name = "on_id",
     .default_json = "-1",
     .help = "Crash in the call that has a row with this value of the field; -1: in any.",
     .type = PEX_PARAM_INT64},
    {.name = "how",
     .default_json = "\"abort\"",
     .choices = "abort|segv|kill|exit",
     .help = "The signal, or exit with status 3.",
     .type = PEX_PARAM_STRING},
    {.name = "once_file",
     .default_json = "\"\"",
     .help = "Created before the crash; once it exists nothing crashes.",
     .type = PEX_PARAM_STRING},
};

static const struct pex_field_def fields[] = {
    [FIELD_ID] = {.param = "field", .access = PEX_FIELD_READ},
};

const struct pex_operator pex__lab_hang_mapper = {
    LAB_HEAD,
    LAB_PARAMS(hang_params),
    LAB_FIELDS(fields),
    .name = "lab_hang_mapper",
    .help = "Hangs until a file exists or the job is cancelled.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_RETRY_SAFE,
    .create = create_hang,
    .process = process_hang,
    .destroy = destroy,
};

const struct pex_operator pex__lab_crash_mapper = {
    LAB_HEAD,
    LAB_PARAMS(crash_params),
    LAB_FIELDS(fields),
    .name = "lab_crash_mapper",
    .help = "Ends the process.",
    .cardinality = PEX_ROW_TO_ROW,
    .create = create_crash,
    .process = process_crash,
    .destroy = destroy,
};
