/* SPDX-License-Identifier: Apache-2.0 */
/* What the output looks like: one file, shards of one stream, or a file per partition in a folder.
 */
#ifndef PEX_PLAN_EXPORT_H
#define PEX_PLAN_EXPORT_H

#include <partexec/base.h>

enum {
    PEX__EXPORT_FILE,
    PEX__EXPORT_SHARDS, /* NAME-00000.EXT .. */
    PEX__EXPORT_FOLDER  /* part-00000.jsonl .. */
};

struct pex__export_form {
    int32_t kind;
    int32_t pack;         /* PEX__PACK_* */
    uint64_t shard_bytes; /* of rows, before compression; 0: no bound */
    int32_t has_stats;
    char *folder; /* where the files go: "" or with its slash */
    char *name;   /* NAME and .EXT of the export path; "part" and ".jsonl" in a folder */
    char *ext;
    char *stats; /* path of the stats file; NULL: none */
};

/* Path of file `index`, to be freed with pex__free; NULL: no memory. */
char *pex__export_path(const struct pex__export_form *form, size_t index);
/* Non-zero if the base name is one that the form may give to a file. */
int pex__export_has_name(const struct pex__export_form *form, const char *base);
/* Takes the export path apart. kind, pack, shard_bytes and has_stats are set. Returns 0 or
 * PEX_ENOMEM; to be freed also then. */
int32_t pex__export_form_set(struct pex__export_form *form, const char *path);
void pex__export_form_free(struct pex__export_form *form);

#endif
