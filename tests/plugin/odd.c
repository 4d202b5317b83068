/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that is wrong in the way that ODD says; with ODD_GOOD it is right. */
#define PEX_PLUGIN_BUILD
#include <partexec/plugin.h>

#define ODD_GOOD 0
#define ODD_NO_INFO 1
#define ODD_NO_INIT 2
#define ODD_MAGIC 3
#define ODD_NEWER_MAJOR 4
#define ODD_FEATURE 5
#define ODD_NEWER_HOST 6
#define ODD_SHORT_INFO 7
#define ODD_NO_NAME 8
#define ODD_INIT_FAILS 9
#define ODD_THIRD_REFUSED 10
#define ODD_IGNORES_REFUSAL 11
#define ODD_POSITIVE 12
#define ODD_UNDEFINED 13

const struct pex_host *pex_plugin_host;

/* What the test reads: how often init ran, and release for each of the four operators. */
PEX_API extern int32_t odd_inits;
PEX_API extern int32_t odd_released[4];
int32_t odd_inits;
int32_t odd_released[4];

#if ODD != ODD_NO_INFO
PEX_API extern const struct pex_plugin_info pex_plugin_info;
const struct pex_plugin_info pex_plugin_info = {
    ODD == ODD_MAGIC ? 0x12345678 : PEX_PLUGIN_MAGIC,
    ODD == ODD_SHORT_INFO ? 24 : sizeof(struct pex_plugin_info),
    ODD == ODD_NEWER_MAJOR ? PEX_PLUGIN_MAJOR + 1 : PEX_PLUGIN_MAJOR,
    (int32_t)sizeof(struct pex_host) + (ODD == ODD_NEWER_HOST ? 8 : 0),
    ODD == ODD_FEATURE ? 4 : 0,
    ODD == ODD_NO_NAME ? NULL : "odd",
    "1.2",
};
#endif

#if ODD == ODD_UNDEFINED
void odd_function_that_nobody_has(void);
#endif

#if ODD != ODD_NO_INIT
static int32_t process(void *instance, pex_batch *batch, struct pex_error *err)
{
    (void)instance;
    (void)batch;
    (void)err;
    return 0;
}

static void count_release(void *user)
{
    (*(int32_t *)user)++;
}

static int32_t add(pex_context *registry, int32_t index)
{
    static const char *const names[] = {"odd_one_mapper", "odd_two_mapper", "odd_three_mapper",
                                        "odd_four_mapper"};
    struct pex_operator op = {0};

    op.struct_size = sizeof op;
    op.name = names[index];
    if (index == 2 && (ODD == ODD_THIRD_REFUSED || ODD == ODD_IGNORES_REFUSAL))
        op.name = names[0];
    op.version = "1";
    op.help = "Leaves rows as they are.";
    op.process = process;
    op.flags = PEX_OP_REENTRANT;
    return pex_operator_register(registry, &op, &odd_released[index], count_release, NULL);
}

PEX_API int32_t pex_plugin_init(const struct pex_host *host, pex_context *registry);
int32_t pex_plugin_init(const struct pex_host *host, pex_context *registry)
{
    int32_t failed = 0;

    pex_plugin_host = host;
    odd_inits++;
#if ODD == ODD_UNDEFINED
    odd_function_that_nobody_has();
#endif
    for (int32_t i = 0; i < 4 && (failed == 0 || ODD == ODD_IGNORES_REFUSAL); i++)
        failed = add(registry, i);
    if (ODD == ODD_INIT_FAILS)
        return PEX_EIO;
    if (ODD == ODD_POSITIVE)
        return 7;
    return ODD == ODD_IGNORES_REFUSAL ? 0 : failed;
}
#endif
