/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that exist once per instruction set, and which of them this machine can run. */
#ifndef PEX_DATA_ISA_H
#define PEX_DATA_ISA_H

#include <stddef.h>
#include <stdint.h>

/* What the first stage of the fast scanner knows about a slice. */
struct pex__marks {
    uint64_t *stops;    /* a bit per byte: quotes that no backslash escapes, control characters */
    uint64_t *suspects; /* a bit per 64 bytes: something in a string may be damaged around here */
    uint64_t *escapes;  /* a bit per 64 bytes: there is a backslash */
};

struct pex__kernels {
    /* Marks `length` bytes; the arrays have room for whole words. NULL: no fast scanner. */
    void (*mark)(const char *text, size_t length, struct pex__marks *marks);
    /*
     * Given the first byte of an element of an array: non-zero if from there to the array's end are
     * only numbers and arrays of them, at most `room` deep counting this one; *length gets the
     * offset of its `]`, or about how far it looked in vain. Reads less than 64 bytes past that.
     */
    int (*numbers)(const char *text, size_t room, size_t *length);
    size_t (*decode)(const char *text, size_t length, char *out);
    size_t (*escape)(const char *text, size_t length, char *out);
    size_t (*escaped_bound)(const char *text, size_t length);
    int (*valid)(const char *text, size_t length);
};

extern const struct pex__kernels pex__kernels_plain;
extern const struct pex__kernels pex__kernels_sse;
extern const struct pex__kernels pex__kernels_avx2;
extern const struct pex__kernels pex__kernels_avx512;
extern const struct pex__kernels pex__kernels_neon;

/* The PEX__ISA_* that is fastest here. */
int32_t pex__isa_best(void);
/* The kernels of a PEX__ISA_*, or NULL if build or machine lacks it. */
const struct pex__kernels *pex__isa_kernels(int32_t isa);

#endif
