/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"
#include "link.h"
#include "operators.h"

#include <string.h>

static bool find_link(const struct pex__kernel *kernel, struct pex_string_view text, size_t from,
                      struct pex__span groups[PEX__SCAN_GROUPS_MAX])
{
    struct pex__link link;
    if (!pex__link_find(kernel, text, from, &link))
        return false;
    memcpy(groups, link.group, sizeof(link.group));
    return true;
}

_Static_assert(PEX__LINK_GROUPS <= PEX__SCAN_GROUPS_MAX, "a link has room");

static const struct pex__scanner scanner = {find_link, PEX__LINK_GROUPS};

static int32_t create(pex_env *env, const pex_params *params, void **instance,
                      struct pex_error *err)
{
    return pex__clean_create(&scanner, env, params, instance, err);
}

static const struct pex_param_def params[] = {
    PEX__CLEAN_PARAMS("a link", ", and so is \\1 of a built-in link"),
};

static const struct pex_field_def fields[] = {
    [PEX__FIELD_TEXT] = {.param = "text_key", .access = PEX_FIELD_READ | PEX_FIELD_WRITE},
};

const struct pex_operator pex__clean_links_mapper = {
    .struct_size = sizeof(struct pex_operator),
    .name = "clean_links_mapper",
    .version = "1",
    .help = "Removes links from the text, or replaces them.",
    .cardinality = PEX_ROW_TO_ROW,
    .flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE,
    .params = params,
    .param_count = sizeof(params) / sizeof(params[0]),
    .param_stride = sizeof(params[0]),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .field_stride = sizeof(fields[0]),
    .create = create,
    .process = pex__clean_process,
    .destroy = pex__clean_destroy,
    .check = pex__clean_check,
};
