/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled set of wanted paths: a tree of keys. */
#ifndef PEX_DATA_SCAN_KEYS_H
#define PEX_DATA_SCAN_KEYS_H

#include "data/path.h"

/* A wanted key of an object; the root of the tree stands for the row. */
struct pex__key {
    const char *text;
    uint32_t length;
    int32_t column; /* -1: wanted only for what is inside */
    const struct pex__key *children;
    uint32_t child_count;
    uint32_t below_count; /* columns of the whole subtree, this key's own included */
    const uint32_t *below;
};

struct pex__paths {
    size_t count;
    struct pex__key *keys; /* breadth first; keys[0] is the root, children lie together */
    uint32_t *columns;     /* in the order of the paths' keys, so that a subtree is a range */
    char *text;
};

#endif
