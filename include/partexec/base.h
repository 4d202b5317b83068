/* SPDX-License-Identifier: Apache-2.0 */
/* Versions, status codes, errors and string views: what every other header uses. */
#ifndef PARTEXEC_BASE_H
#define PARTEXEC_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PEX_API __attribute__((visibility("default")))
#define PEX_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PEX_API
#define PEX_PRINTF(text, first)
#endif

/* Version of these headers. The soname carries the ABI number. */
#define PEX_VERSION_MAJOR 0
#define PEX_VERSION_MINOR 1
#define PEX_VERSION_PATCH 0
#define PEX_ABI_VERSION 0

/* Status codes. 0 is success, a negative value is a failure; PEX_MORE is a success of its own. */
#define PEX_OK 0
#define PEX_MORE 1         /* process: committed, call again with the rows that are left */
#define PEX_EINVAL (-1)    /* an argument is wrong */
#define PEX_ENOMEM (-2)    /* out of memory; from process: call again with half of the rows */
#define PEX_ENOTSUP (-3)   /* this version, build or machine cannot do it */
#define PEX_ENOENT (-4)    /* no such file, operator, parameter, value */
#define PEX_EEXIST (-5)    /* there already */
#define PEX_EBUSY (-6)     /* held by somebody else */
#define PEX_EAGAIN (-7)    /* not now; from process: same rows again after a pause */
#define PEX_ETIMEDOUT (-8) /* the time given ran out; nothing is lost, call again */
#define PEX_EDEADLK (-9)   /* the call would wait for its own thread */
#define PEX_EFORKED (-10)  /* the context belongs to the parent process */
#define PEX_ECLOSED (-11)  /* the context is gone */
#define PEX_ECANCELLED (-12)
#define PEX_EIO (-13)       /* a file could not be read or written */
#define PEX_ESPEC (-14)     /* the job spec is wrong */
#define PEX_EDATA (-15)     /* a row or a value is not what it must be */
#define PEX_EINSTANCE (-16) /* process: this instance is broken, replace it and try again */
#define PEX_EFATAL (-17)    /* process: give up the whole job */
#define PEX_ECALLBACK (-18) /* a callback of the host failed (a Python exception, say) */
#define PEX_EABI (-19)      /* header and library, or host and plugin, do not fit */
#define PEX_ELIMIT (-20)    /* it does not fit into the limits that were given */
#define PEX_EINTERNAL (-21) /* the library found a fault of its own; please report it */

/* Spells "zero, and I mean it" in an option where 0 stands for the default. */
#define PEX_NONE (-1)

/*
 * What went wrong, in the words of the place that knows. The caller owns it; a function that takes
 * `struct pex_error *err` accepts NULL, and writes to it on failure only. Layout frozen for ever.
 */
struct pex_error {
    int32_t code;
    char message[1020];
};

/* Bytes that somebody else owns; not terminated by NUL. Layout frozen for ever. */
struct pex_string_view {
    const char *data;
    size_t length;
};

/*
 * Version of the library at run time: major * 1000000 + minor * 1000 + patch.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_version(void);

/* The library's ABI number (PEX_ABI_VERSION of its headers). Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_abi_version(void);

/*
 * Checks that a caller compiled against ABI `abi` and headers `version` (as pex_version counts)
 * can use this library. Returns 0, or PEX_EABI with both numbers in err (NULL allowed).
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API int32_t pex_check_abi(int32_t abi, int32_t version, struct pex_error *err);

/* A short English text for a status code; never NULL, static. Thread-safety: any-thread. Since:
 * 0.1. */
PEX_API const char *pex_strerror(int32_t code);

/*
 * Fills err (NULL allowed: nothing happens) with code and the text printed from format, cut at the
 * end of the message. Operators call it before they return a failure. Returns code.
 * Thread-safety: one-thread-per-object. Since: 0.1.
 */
PEX_API int32_t pex_error_set(struct pex_error *err, int32_t code, const char *format, ...)
    PEX_PRINTF(3, 4);

/*
 * Frees text that a function of this library handed out ("release with pex_free"); NULL allowed.
 * Thread-safety: any-thread. Since: 0.1.
 */
PEX_API void pex_free(void *text);

#ifdef __cplusplus
}
#endif

#endif
