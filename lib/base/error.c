/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t pex__error_prefix(struct pex_error *err, int32_t code, const char *text, ...)
{
    char prefix[512], old[sizeof err->message];
    size_t length;
    va_list args;

    if (err == NULL)
        return code;
    va_start(args, text);
    vsnprintf(prefix, sizeof prefix, text, args);
    va_end(args);
    memcpy(old, err->message, sizeof old);
    length = strnlen(old, sizeof old - 1);
    /* The innermost text is kept: the prefix gives way when both do not fit. */
    snprintf(err->message, sizeof err->message, "%.*s: %.*s",
             (int)(sizeof err->message - 3 > length ? sizeof err->message - 3 - length : 0), prefix,
             (int)length, old);
    err->code = code;
    return code;
}

int32_t pex__error_memory(struct pex_error *err)
{
    return pex_error_set(err, PEX_ENOMEM, "out of memory");
}

/* What to do about it, where that is known. */
static const char *remedy(int system_errno)
{
    switch (system_errno) {
    case ENOSPC:
    case EDQUOT:
        return ": free some space, or give a folder on another file system";
    case EMFILE:
    case ENFILE:
        return ": raise the limit of open files, or take fewer partitions";
    case EACCES:
    case EPERM:
        return ": change its owner or mode, or give another place";
    case EROFS:
        return ": give another place";
    default:
        return "";
    }
}

int32_t pex__error_system(struct pex_error *err, const char *what, const char *path,
                          int system_errno)
{
    char text[128];
    int32_t code = system_errno == ENOENT   ? PEX_ENOENT
                   : system_errno == ENOMEM ? PEX_ENOMEM
                                            : PEX_EIO;

    return pex_error_set(err, code, "%s %s: %s%s", what, path,
                         strerror_r(system_errno, text, sizeof text), remedy(system_errno));
}

int32_t pex_error_set(struct pex_error *err, int32_t code, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return code;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

const char *pex_strerror(int32_t code)
{
    switch (code) {
    case PEX_OK:
        return "success";
    case PEX_MORE:
        return "more rows are left";
    case PEX_EINVAL:
        return "invalid argument";
    case PEX_ENOMEM:
        return "out of memory";
    case PEX_ENOTSUP:
        return "not supported";
    case PEX_ENOENT:
        return "not found";
    case PEX_EEXIST:
        return "exists already";
    case PEX_EBUSY:
        return "busy";
    case PEX_EAGAIN:
        return "try again";
    case PEX_ETIMEDOUT:
        return "timed out";
    case PEX_EDEADLK:
        return "the call would wait for itself";
    case PEX_EFORKED:
        return "the context belongs to the parent process";
    case PEX_ECLOSED:
        return "the context is closed";
    case PEX_ECANCELLED:
        return "cancelled";
    case PEX_EIO:
        return "input or output failed";
    case PEX_ESPEC:
        return "the job spec is wrong";
    case PEX_EDATA:
        return "bad data";
    case PEX_EINSTANCE:
        return "the operator instance is broken";
    case PEX_EFATAL:
        return "the operator gave up";
    case PEX_ECALLBACK:
        return "a callback failed";
    case PEX_EABI:
        return "incompatible versions";
    case PEX_ELIMIT:
        return "does not fit into the limits";
    case PEX_EINTERNAL:
        return "internal fault";
    default:
        return "unknown status";
    }
}
