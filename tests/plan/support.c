/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t no_rows(void *instance, pex_batch *batch, struct pex_error *err)
{
    return 0;
}

static int32_t no_keys(void *instance, pex_keys *keys, struct pex_error *err)
{
    return 0;
}

static int32_t check_even(const pex_params *params, struct pex_error *err)
{
    int64_t number = 0;

    pex_params_int64(params, "number", &number);
    if (number % 2 != 0)
        return pex_error_set(err, PEX_EINVAL, "number: found %lld, expected an even number",
                             (long long)number);
    return 0;
}

struct pex_operator simple_operator(const char *name)
{
    struct pex_operator op = {.struct_size = sizeof op,
                              .name = name,
                              .version = "1",
                              .help = "Does nothing.",
                              .process = no_rows,
                              .param_stride = sizeof(struct pex_param_def),
                              .field_stride = sizeof(struct pex_field_def)};
    return op;
}

void add_operator(struct pex__registry *registry, const struct pex_operator *op)
{
    struct pex_error err = {0};

    ck_assert_msg(pex__registry_add(registry, op, NULL, NULL, &err) == 0, "%s", err.message);
}

static const struct pex_param_def text_params[] = {
    {"text_key", "\"text\"", NULL, "the field", 0, 0, PEX_PARAM_STRING, 0},
};
static const struct pex_field_def text_fields[] = {
    {NULL, "text_key", PEX_FIELD_PATH, PEX_FIELD_READ | PEX_FIELD_WRITE},
};
static const struct pex_param_def length_params[] = {
    {"min_len", "10", NULL, "least", 0, 1e9, PEX_PARAM_INT64, 0},
    {"max_len", "9223372036854775807", NULL, "most", 0, 0, PEX_PARAM_INT64, 0},
    {"text_key", "\"text\"", NULL, "the field", 0, 0, PEX_PARAM_STRING, 0},
};
static const struct pex_field_def length_fields[] = {
    {NULL, "text_key", PEX_FIELD_PATH, PEX_FIELD_READ},
    {"text_len", NULL, PEX_FIELD_STAT, PEX_FIELD_READ | PEX_FIELD_WRITE},
};
static const struct pex_param_def every_params[] = {
    {"number", "2", NULL, "even", 0, 0, PEX_PARAM_INT64, 0},
    {"ratio", "0.5", NULL, "a share", 0, 1, PEX_PARAM_DOUBLE, 0},
    {"flag", "false", NULL, "a switch", 0, 0, PEX_PARAM_BOOL, 0},
    {"mode", "\"slow\"", "slow|fast", "how", 0, 0, PEX_PARAM_STRING, 0},
    {"words", "[]", NULL, "some words", 0, 0, PEX_PARAM_STRINGS, 0},
    {"sizes", "[1,2]", NULL, "some sizes", 1, 100, PEX_PARAM_INT64S, 0},
    {"extra", "{\"a\":1}", NULL, "anything", 0, 0, PEX_PARAM_JSON, 0},
    {"pattern", "null", NULL, "or none", 0, 0, PEX_PARAM_STRING, PEX_PARAM_NULLABLE},
    {"old", "1", NULL, "of old recipes", 0, 0, PEX_PARAM_INT64, PEX_PARAM_IGNORED},
};
static const struct pex_param_def needy_params[] = {
    {"path", NULL, NULL, "a file", 0, 0, PEX_PARAM_STRING, PEX_PARAM_REQUIRED},
};

static void add_kind(struct pex__registry *registry, const char *name, int32_t cardinality,
                     int32_t flags)
{
    struct pex_operator op = simple_operator(name);

    op.cardinality = cardinality;
    op.flags = flags;
    op.params = text_params;
    op.param_count = 1;
    op.fields = text_fields;
    op.field_count = 1;
    if (cardinality == PEX_GLOBAL) {
        op.process = NULL;
        op.observe = no_rows;
        op.resolve = no_keys;
    }
    add_operator(registry, &op);
}

static void add_all(struct pex__registry *registry)
{
    struct pex_operator op = simple_operator("length_filter");

    add_kind(registry, "text_mapper", PEX_ROW_TO_ROW, 0);
    add_kind(registry, "network_mapper", PEX_ROW_TO_ROW, PEX_OP_BLOCKING);
    add_kind(registry, "shared_mapper", PEX_ROW_TO_ROW, PEX_OP_REENTRANT);
    add_kind(registry, "device_mapper", PEX_ROW_TO_ROW, PEX_OP_GPU);
    add_kind(registry, "text_deduplicator", PEX_GLOBAL, 0);
    op.cardinality = PEX_FILTER;
    op.params = length_params;
    op.param_count = 3;
    op.fields = length_fields;
    op.field_count = 2;
    add_operator(registry, &op);
    op = simple_operator("every_mapper");
    op.params = every_params;
    op.param_count = sizeof every_params / sizeof *every_params;
    op.check = check_even;
    add_operator(registry, &op);
    op = simple_operator("needy_mapper");
    op.params = needy_params;
    op.param_count = 1;
    add_operator(registry, &op);
}

void fixture_open(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    ck_assert_int_eq(pex__registry_create(&fixture->registry), 0);
    add_all(fixture->registry);
    fixture->machine = (struct pex__machine){2, 2, 256 * MIB, 1024 * MIB};
    strcpy(fixture->folder, "/tmp/pex_plan_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/in.jsonl", fixture->folder);
}

void fixture_close(struct fixture *fixture)
{
    pex__input_free(fixture->input);
    pex__registry_free(fixture->registry);
    unlink(fixture->path);
    rmdir(fixture->folder);
}

void fixture_rows(struct fixture *fixture, size_t rows, size_t bytes)
{
    const char *paths[] = {fixture->path};
    FILE *file = fopen(fixture->path, "w");
    struct pex_error err = {0};

    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < rows; i++)
        fprintf(file, "{\"n\":%-*zu}\n", (int)bytes - 7, i);
    fclose(file);
    pex__input_free(fixture->input);
    fixture->input = NULL;
    ck_assert_msg(pex__input_list(paths, 1, PEX_FORMAT_AUTO, NULL, &fixture->input, &err) == 0,
                  "%s", err.message);
}

pex_spec *spec_of(const char *json)
{
    struct pex_error err = {0};
    char *text = strdup(json);
    pex_spec *spec = NULL;

    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    ck_assert_msg(pex_spec_parse(text, strlen(text), &spec, &err) == 0, "%s", err.message);
    free(text);
    return spec;
}

struct pex__plan *plan_of(struct fixture *fixture, const char *json, int32_t purpose)
{
    struct pex__buffer errors = {0};
    struct pex_error err = {0};
    struct pex__plan *plan = NULL;
    pex_spec *spec = spec_of(json);
    int32_t code = pex__plan_create(spec, fixture->registry, &fixture->machine, fixture->input,
                                    purpose, &plan, &errors, &err);

    ck_assert_msg(code == 0, "%s: %.*s", json, (int)errors.length, errors.data);
    ck_assert_uint_eq(errors.length, 0);
    pex__buffer_free(&errors);
    pex_spec_release(spec); /* the plan must not need it */
    return plan;
}

char *errors_of(struct fixture *fixture, const char *json, int32_t purpose, int32_t *code)
{
    struct pex__buffer errors = {0};
    struct pex_error err = {0};
    struct pex__plan *plan = NULL;
    pex_spec *spec = spec_of(json);
    int32_t result = pex__plan_create(spec, fixture->registry, &fixture->machine, fixture->input,
                                      purpose, &plan, &errors, &err);

    pex_spec_release(spec);
    pex__plan_free(plan);
    ck_assert_msg(result < 0, "%s: planned without an error", json);
    ck_assert_int_eq(err.code, result);
    ck_assert_msg(errors.length > 0 && errors.data[errors.length - 1] == '\n', "%s", json);
    ck_assert_uint_eq(strncmp(err.message, errors.data, strlen(err.message)), 0);
    errors.data[errors.length - 1] = '\0';
    if (code != NULL)
        *code = result;
    return errors.data;
}

void assert_errors(struct fixture *fixture, const char *json, ...)
{
    char *errors = errors_of(fixture, json, PEX__PLAN_EXPLAIN, NULL);
    const char *text;
    va_list args;

    va_start(args, json);
    while ((text = va_arg(args, const char *)) != NULL)
        ck_assert_msg(strstr(errors, text) != NULL, "%s\ngives: %s\nwithout: %s", json, errors,
                      text);
    va_end(args);
    pex_free(errors);
}

void assert_notice(const struct pex__plan *plan, const char *text)
{
    for (size_t i = 0; i < plan->notice_count; i++) {
        if (strstr(plan->notices[i], text) != NULL)
            return;
    }
    ck_abort_msg("no notice has: %s (of %zu, the first: %s)", text, plan->notice_count,
                 plan->notice_count != 0 ? plan->notices[0] : "none");
}

size_t count_lines(const char *text)
{
    size_t lines = 1;

    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

int run_suite(const char *name, TCase *cases)
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, cases);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
