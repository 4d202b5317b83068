// SPDX-License-Identifier: Apache-2.0
// oneTBB's side: a parallel_pipeline with one filter per operator.
#include "dispatch.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <memory>

namespace tbb = oneapi::tbb;

static std::unique_ptr<tbb::global_control> width;

void tbb_open()
{
    width = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  DISPATCH_THREADS);
}

void tbb_close()
{
    width.reset();
}

static tbb::filter<uint64_t, uint64_t> make_operator(const cell *cell, int32_t index)
{
    auto mode = index == cell->budgeted ? tbb::filter_mode::serial_out_of_order
                                        : tbb::filter_mode::parallel;

    return tbb::make_filter<uint64_t, uint64_t>(mode, [cell](uint64_t batch) {
        dispatch_spin(cell->turns);
        return batch;
    });
}

void tbb_run(const cell *cell)
{
    uint64_t next = 0, finished = 0;
    auto chain = make_operator(cell, 0);

    for (int32_t i = 1; i < cell->operators; i++)
        chain = chain & make_operator(cell, i);
    auto input = tbb::make_filter<void, uint64_t>(tbb::filter_mode::serial_in_order,
                                                  [&](tbb::flow_control &control) -> uint64_t {
                                                      if (next == cell->batches)
                                                          control.stop();
                                                      return next < cell->batches ? next++ : 0;
                                                  });
    auto output =
        tbb::make_filter<uint64_t, void>(tbb::filter_mode::serial_in_order, [&](uint64_t batch) {
            dispatch_finish(&finished, batch);
        });
    tbb::parallel_pipeline(DISPATCH_FLIGHT, input & chain & output);
}
