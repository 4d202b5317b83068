/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts in the libuv loop of a host. */
#include "host.h"

#include <partexec/uv.h>

#include <string.h>

static struct folder folder;
static uv_loop_t loop;

/* A context in the loop, with what its jobs have said. */
struct guest {
    struct pex_uv watch;
    pex_context *ctx;
    pthread_t thread; /* of the loop */
    int live;
    int partitions;
    int is_closed;
};

static void set_up(void)
{
    folder_make(&folder);
    rows_write(&folder, "rows.jsonl", 3000, 20);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    folder_free(&folder);
}

static void on_closed(struct pex_uv *watch)
{
    struct guest *guest = watch->data;

    guest->is_closed++;
}

static void on_event(void *user, const struct pex_event *event)
{
    struct guest *guest = user;

    ck_assert(pthread_equal(guest->thread, pthread_self()));
    guest->partitions += event->kind == PEX_EVENT_PARTITION;
    if (event->kind == PEX_EVENT_JOB && --guest->live == 0)
        pex_uv_close(&guest->watch, on_closed);
}

static void arrive(struct guest *guest)
{
    memset(guest, 0, sizeof *guest);
    guest->thread = pthread_self();
    guest->ctx = context_make(2);
    guest->watch.data = guest;
    ck_assert_int_eq(pex_uv_start(&guest->watch, &loop, guest->ctx), 0);
}

static pex_job *start(struct guest *guest, const char *out, const char *more)
{
    struct pex_job_options options = {
        .struct_size = sizeof options, .on_event = on_event, .event_user = guest};
    pex_spec *spec = spec_make(&folder, out, "[{\"text_length_filter\": {\"min_len\": 1}}]", more);
    pex_job *job = job_submit(guest->ctx, spec, &options);

    guest->live++;
    pex_spec_release(spec);
    return job;
}

static void leave(struct guest *guest)
{
    ck_assert_int_eq(guest->live, 0);
    ck_assert_int_eq(guest->is_closed, 1);
    ck_assert_int_eq(pex_context_destroy(guest->ctx, -1, NULL), 0);
}

START_TEST(jobs_of_two_contexts_end_in_one_loop)
{
    struct guest guests[2];
    pex_job *jobs[4];

    for (int i = 0; i < 2; i++)
        arrive(&guests[i]);
    for (int i = 0; i < 4; i++) {
        const char *const outs[] = {"0", "1", "2", "3"};

        jobs[i] = start(&guests[i % 2], outs[i], ", \"partition\": {\"num_of_partitions\": 4}");
    }
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pex_job_state(jobs[i]), PEX_JOB_DONE);
        pex_job_release(jobs[i]);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(guests[i].partitions, 8);
        leave(&guests[i]);
    }
    rows_check(&folder, "3", 3000);
}
END_TEST

/* A turn of the loop delivers 256 at the most. */
START_TEST(more_events_than_a_turn_delivers_all_come)
{
    struct guest guest;
    pex_job *job;

    arrive(&guest);
    job = start(&guest, "out", ", \"partition\": {\"num_of_partitions\": 700}");
    while (pex_job_state(job) < PEX_JOB_DONE)
        nap_us(1000);
    ck_assert_int_eq(guest.partitions, 0);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(guest.partitions, 700);
    pex_job_release(job);
    leave(&guest);
}
END_TEST

START_TEST(a_closed_watch_delivers_nothing_and_the_context_lives_on)
{
    struct guest guest;
    pex_job *job;

    arrive(&guest);
    job = start(&guest, "out", "");
    pex_uv_close(&guest.watch, on_closed);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(guest.is_closed, 1);
    ck_assert_int_eq(guest.live, 1);
    /* Another watch takes over what was not delivered. */
    ck_assert_int_eq(pex_uv_start(&guest.watch, &loop, guest.ctx), 0);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    pex_job_release(job);
    ck_assert_int_eq(guest.is_closed, 2);
    guest.is_closed = 1;
    leave(&guest);
}
END_TEST

START_TEST(a_context_may_go_between_close_and_closed)
{
    struct guest guest;

    arrive(&guest);
    pex_job_release(start(&guest, "out", ""));
    pex_uv_close(&guest.watch, NULL);
    ck_assert_int_eq(pex_context_destroy(guest.ctx, -1, NULL), 0);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
}
END_TEST

START_TEST(a_watch_alone_keeps_the_loop_until_it_is_unreferenced)
{
    struct guest guest;

    arrive(&guest);
    ck_assert_int_ne(uv_run(&loop, UV_RUN_NOWAIT), 0);
    uv_unref((uv_handle_t *)&guest.watch.poll);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    pex_uv_close(&guest.watch, on_closed);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    leave(&guest);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    struct pex_uv watch;
    pex_context *ctx = context_make(1);

    ck_assert_int_eq(pex_uv_start(&watch, &loop, NULL), PEX_EINVAL);
    ck_assert_int_eq(pex_uv_start(NULL, &loop, ctx), PEX_EINVAL);
    ck_assert_int_eq(pex_uv_start(&watch, NULL, ctx), PEX_EINVAL);
    ck_assert_int_eq(pex_context_destroy(ctx, -1, NULL), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("loop");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, jobs_of_two_contexts_end_in_one_loop);
    tcase_add_test(tcase, more_events_than_a_turn_delivers_all_come);
    tcase_add_test(tcase, a_closed_watch_delivers_nothing_and_the_context_lives_on);
    tcase_add_test(tcase, a_context_may_go_between_close_and_closed);
    tcase_add_test(tcase, a_watch_alone_keeps_the_loop_until_it_is_unreferenced);
    tcase_add_test(tcase, wrong_arguments_are_refused);
    return run_case("loop", tcase);
}
