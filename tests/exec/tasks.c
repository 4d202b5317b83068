/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks go before all other work, and a sink that is full takes no rows. */
#include "exec/schedule.h"

#include <check.h>
#include <stdlib.h>

#define SLICE 100

/* A job of one partition without steps, with a slice that was read and is finished. */
struct fixture {
    struct pex__sched sched;
    struct pex__sjob job;
    struct pex__part part, *parts[1];
    struct pex__ticket ticket, *ring[16];
    struct pex__agent agent;
};

static void set_up(struct fixture *fixture, int32_t sink)
{
    struct pex__step step;

    *fixture = (struct fixture){.agent = {.id = 1}};
    pex__sched_init(&fixture->sched, 100 * SLICE, 2, 2);
    fixture->job.parts = fixture->parts;
    fixture->job.part_count = 1;
    fixture->job.sink = sink;
    fixture->job.weight = fixture->job.growth = 1;
    pex__account_init(&fixture->job.account, 100 * SLICE, 0);
    pex__sched_job_enter(&fixture->sched, &fixture->job);
    fixture->part.job = &fixture->job;
    fixture->part.ring = fixture->ring;
    fixture->part.ring_size = 16;
    fixture->part.slice_count = 1;
    fixture->part.slice_bytes = SLICE;
    ck_assert(pex__sched_part_open(&fixture->part));
    fixture->agent.spare = &fixture->ticket;
    pex__sched_next(&fixture->sched, &fixture->agent, &step);
    ck_assert_int_eq(step.kind, PEX__STEP_READ);
    step.ticket->end = PEX__END_NEXT;
    step.ticket->now = SLICE;
    pex__sched_done(&fixture->sched, &step);
}

static int32_t next_kind(struct fixture *fixture)
{
    struct pex__step step;

    pex__sched_next(&fixture->sched, &fixture->agent, &step);
    return step.kind;
}

START_TEST(a_full_sink_takes_no_rows)
{
    static const int32_t sinks[] = {PEX__SINK_OWN, PEX__SINK_EXPORT};
    struct fixture fixture;

    set_up(&fixture, sinks[_i]);
    fixture.job.is_full = 1;
    ck_assert(!pex__sched_has_work(&fixture.sched));
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_NONE);
    fixture.job.is_full = 0;
    ck_assert(pex__sched_has_work(&fixture.sched));
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_WRITE);
}
END_TEST

START_TEST(tasks_go_first_and_in_order)
{
    struct pex__task first = {0}, second = {0};
    struct fixture fixture;
    struct pex__step step;

    set_up(&fixture, PEX__SINK_EXPORT);
    pex__sched_task(&fixture.sched, &first);
    pex__sched_task(&fixture.sched, &second);
    pex__sched_next(&fixture.sched, &fixture.agent, &step);
    ck_assert_int_eq(step.kind, PEX__STEP_TASK);
    ck_assert_ptr_eq(step.task, &first);
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_TASK);
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_WRITE);
}
END_TEST

START_TEST(a_task_is_taken_back_unless_a_worker_has_it)
{
    struct pex__task tasks[3] = {0};
    struct fixture fixture;

    set_up(&fixture, PEX__SINK_EXPORT);
    for (int i = 0; i < 3; i++)
        pex__sched_task(&fixture.sched, &tasks[i]);
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_TASK);
    ck_assert(!pex__sched_untask(&fixture.sched, &tasks[0]));
    ck_assert(pex__sched_untask(&fixture.sched, &tasks[2]));
    ck_assert(!pex__sched_untask(&fixture.sched, &tasks[2]));
    ck_assert(pex__sched_untask(&fixture.sched, &tasks[1]));
    ck_assert_int_eq(next_kind(&fixture), PEX__STEP_WRITE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tasks");
    TCase *tcase = tcase_create("tasks");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(tcase, a_full_sink_takes_no_rows, 0, 2);
    tcase_add_test(tcase, tasks_go_first_and_in_order);
    tcase_add_test(tcase, a_task_is_taken_back_unless_a_worker_has_it);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
