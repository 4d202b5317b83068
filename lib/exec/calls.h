/* SPDX-License-Identifier: Apache-2.0 */
/* Between calls.c (a call on the rows of one work) and calls_join.c (on those of several). */
#ifndef PEX_EXEC_CALLS_H
#define PEX_EXEC_CALLS_H

#include "exec/run.h"

/* What is at hand during a call: rows [first, first + count) of the work. */
struct pex__window_call {
    struct pex__run *run;
    struct pex__run_step *step;
    struct pex__work *work;
    pex_batch *batch;
    size_t first;
    size_t count;
};

/* Fails the run with what the operator said. Returns PEX__END_GONE. */
int32_t pex__calls_fail(const struct pex__window_call *call, int32_t code, struct pex_error *err);
/* Calls the operator on call->batch, and counts the call with the work. Returns its answer. */
int32_t pex__calls_invoke(const struct pex__window_call *call, const struct pex__handle *instance,
                          struct pex_error *err);
/* The operator is content: its changes count. Returns PEX__END_*. */
int32_t pex__calls_committed(const struct pex__window_call *call, struct pex_error *err);
/* One more try after a pause, work->delay_ns; zero when the tries are used up. */
int pex__calls_set_backoff(struct pex__work *work);

#endif
