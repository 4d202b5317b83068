/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin's file, opened and found fit for this library; nothing of it was called yet. */
#ifndef PEX_API_PLUGIN_OPEN_H
#define PEX_API_PLUGIN_OPEN_H

#include <partexec/plugin.h>

struct pex__plugin {
    void *object; /* of the loader */
    const struct pex_plugin_info *info;
    pex_plugin_init_fn init;
};

/* host_size: of the table that this library has to give. Errors name the path. */
int32_t pex__plugin_open(const char *path, size_t host_size, struct pex__plugin *plugin,
                         struct pex_error *err);
/* Unmaps a plugin; only while its init has never run. */
void pex__plugin_close(struct pex__plugin *plugin);

#endif
