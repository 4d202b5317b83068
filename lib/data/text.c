/* SPDX-License-Identifier: Apache-2.0 */
#include "data/text.h"

#include "data/isa.h"

/*
 * Dispatch by a look at libgcc's record of the CPU on each call (a load and a test, which are
 * nothing beside the text): no state of ours that would have to be set up first or could be raced
 * for, and no ifuncs, which static and sanitized builds do not like.
 */
static const struct pex__kernels *kernels(void)
{
    return pex__isa_kernels(pex__isa_best());
}

size_t pex__text_decode(const char *text, size_t length, char *out)
{
    return kernels()->decode(text, length, out);
}

size_t pex__text_escape(const char *text, size_t length, char *out)
{
    return kernels()->escape(text, length, out);
}

size_t pex__text_escaped_bound(const char *text, size_t length)
{
    return kernels()->escaped_bound(text, length);
}

int pex__text_valid(const char *text, size_t length)
{
    return kernels()->valid(text, length);
}
