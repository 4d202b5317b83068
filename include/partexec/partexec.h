/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpartexec: runs a chain of operators over a partitioned data set, inside the calling process.
 *
 * Objects. A *context* is the engine: a loop thread, workers, a store thread, a registry of
 * operators, budgets. A *spec* says what is to be done, a *data set* to which rows; a *job* does
 * it. A *batch* is what an operator sees of the rows. All handles are opaque and released by the
 * caller, in any order.
 *
 * Threads. Every function says how it may be called: `any-thread`, `one-thread-per-object` (calls
 * on one object must not overlap) or the thread of a callback. Operators run on the context's
 * threads; events are delivered only by the thread that calls pex_context_dispatch or pex_job_wait.
 *
 * Errors. Functions return 0 or a negative PEX_E* code; the last parameter, struct pex_error *err,
 * takes the reason in words and may be NULL. Out parameters are written on success only.
 *
 * Structs. An options struct starts with `size_t struct_size`, which the caller sets to its sizeof;
 * zero members mean the default, PEX_NONE spells a zero that is meant. In a struct that the library
 * fills, the caller sets struct_size too; what fits is filled.
 *
 * Demands on the host: none on signals, locale or environment. SIGPIPE is not raised by the
 * library.
 */
#ifndef PARTEXEC_PARTEXEC_H
#define PARTEXEC_PARTEXEC_H

#include <partexec/base.h>
#include <partexec/batch.h>
#include <partexec/context.h>
#include <partexec/dataset.h>
#include <partexec/job.h>
#include <partexec/operator.h>
#include <partexec/scope.h>

#endif
