/* SPDX-License-Identifier: Apache-2.0 */
/* Where the plugins of this installation, or of this build tree, are. */
#ifndef TOOL_PLUGINS_H
#define TOOL_PLUGINS_H

#include <stddef.h>

struct plugin_files {
    char **paths; /* sorted by name */
    size_t count;
    char *folder; /* that of the installation; NULL in a build tree */
};

/*
 * Found by the place of the running program: ../LIBDIR/partexec/NAME.so beside the folder it is
 * installed in, wherever that was moved; ../ops/NAME/NAME.so in a build tree; else in the folder
 * that was configured.
 */
void plugin_files_find(struct plugin_files *files);
/*
 * What `--plugin name` stands for: a file, or all *.so of a folder, none in an empty one. A name
 * without a slash is a path in the current folder, else one of `own`.
 */
void plugin_files_asked(struct plugin_files *files, const struct plugin_files *own,
                        const char *name);
void plugin_files_free(struct plugin_files *files);

#endif
