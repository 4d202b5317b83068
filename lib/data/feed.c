/* SPDX-License-Identifier: Apache-2.0 */
#include "data/feed.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Members of the first version: a table may not be shorter. */
#define LEAST_SIZE (offsetof(struct pex_source, next) + sizeof(void *))

static int32_t copy_source(const struct pex_source *source, struct pex_source *copy,
                           struct pex_error *err)
{
    if (source->struct_size < LEAST_SIZE)
        return pex_error_set(err, PEX_EINVAL,
                             "source: struct_size is not sizeof(struct pex_source)");
    memcpy(copy, source, source->struct_size < sizeof *copy ? source->struct_size : sizeof *copy);
    if (copy->required_features != 0)
        return pex_error_set(err, PEX_ENOTSUP,
                             "source: needs features %#llx that this library does not have",
                             (unsigned long long)copy->required_features);
    if (copy->next == NULL)
        return pex_error_set(err, PEX_EINVAL, "source: next: NULL");
    return 0;
}

int32_t pex__feed_create(const struct pex_source *source, void *user, void (*release)(void *user),
                         struct pex__feed **result, struct pex_error *err)
{
    struct pex__feed *feed = pex__calloc(1, sizeof *feed);
    int32_t failed;

    if (feed == NULL)
        return pex__error_memory(err);
    failed = copy_source(source, &feed->source, err);
    if (failed == 0) {
        const char *identity = feed->source.identity;

        feed->identity = pex__strdup(identity != NULL ? identity : "source");
        if (feed->identity == NULL)
            failed = pex__error_memory(err);
    }
    if (failed != 0) {
        pex__free(feed);
        return failed;
    }
    feed->source.identity = NULL;
    atomic_init(&feed->refs, 1);
    pthread_mutex_init(&feed->lock, NULL);
    feed->user = user;
    feed->release = release;
    *result = feed;
    return 0;
}

struct pex__feed *pex__feed_ref(struct pex__feed *feed)
{
    atomic_fetch_add_explicit(&feed->refs, 1, memory_order_relaxed);
    return feed;
}

void pex__feed_unref(struct pex__feed *feed)
{
    /* Release and acquire: the last call of the source happens before it is given back. */
    if (atomic_fetch_sub_explicit(&feed->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (feed->release != NULL)
        feed->release(feed->user);
    pthread_mutex_destroy(&feed->lock);
    pex__free(feed->identity);
    pex__free(feed);
}

int32_t pex__feed_take(struct pex__feed *feed, struct pex_error *err)
{
    int is_taken, is_spent;

    pthread_mutex_lock(&feed->lock);
    is_taken = feed->is_taken;
    is_spent = feed->was_read && feed->source.restart == NULL;
    if (!is_taken && !is_spent)
        feed->is_taken = 1;
    pthread_mutex_unlock(&feed->lock);
    if (is_taken)
        return pex_error_set(err, PEX_EBUSY,
                             "%s: a job reads it; a source has one reader at a time: wait for that "
                             "job's end, or give each job a source of its own",
                             feed->identity);
    if (is_spent)
        return pex_error_set(
            err, PEX_ENOTSUP,
            "%s: a job has read it, and it has no restart; give the source one, or "
            "make a new data set",
            feed->identity);
    return 0;
}

void pex__feed_give_back(struct pex__feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_taken = 0;
    pthread_mutex_unlock(&feed->lock);
}

/* The host's message gets the name in front; without one there is the code's own text. */
static int32_t name_error(const struct pex__feed *feed, int32_t code, const char *what,
                          struct pex_error *err)
{
    if (err->message[0] == '\0')
        pex_error_set(err, code, "%s", pex_strerror(code));
    pex__error_prefix(err, code, "%s: %s", feed->identity, what);
    return code;
}

int32_t pex__feed_begin(struct pex__feed *feed, struct pex_error *err)
{
    int was_read;
    int32_t code;

    pthread_mutex_lock(&feed->lock);
    was_read = feed->was_read;
    feed->was_read = 1;
    pthread_mutex_unlock(&feed->lock);
    if (!was_read)
        return 0;
    pex_error_set(err, 0, "%s", "");
    code = feed->source.restart(feed->user, err);
    return code < 0 ? name_error(feed, code, "restart", err) : 0;
}

uint64_t pex__feed_size_hint(struct pex__feed *feed)
{
    int64_t bytes = feed->source.size_hint != NULL ? feed->source.size_hint(feed->user) : 0;

    return bytes > 0 ? (uint64_t)bytes : 0;
}

int32_t pex__feed_next(struct pex__feed *feed, struct pex_string_view *piece, struct pex_error *err)
{
    int32_t code;

    *piece = (struct pex_string_view){NULL, 0};
    pex_error_set(err, 0, "%s", "");
    code = feed->source.next(feed->user, piece, err);
    if (code < 0)
        return name_error(feed, code, "next", err);
    if (code > PEX_MORE)
        return pex_error_set(err, PEX_EINVAL,
                             "%s: next answered %d, expected 0, PEX_MORE or a negative code",
                             feed->identity, (int)code);
    if (piece->data == NULL && piece->length > 0)
        return pex_error_set(err, PEX_EINVAL, "%s: next gave %zu bytes at NULL", feed->identity,
                             piece->length);
    return code == PEX_MORE;
}

int32_t pex__input_list_feed(struct pex__feed *feed, struct pex__input **result,
                             struct pex_error *err)
{
    struct pex__input *input = pex__calloc(1, sizeof *input);

    if (input == NULL)
        return pex__error_memory(err);
    input->sources = pex__calloc(1, sizeof *input->sources);
    if (input->sources != NULL)
        input->sources->path = pex__strdup(feed->identity);
    if (input->sources == NULL || input->sources->path == NULL) {
        pex__input_free(input);
        return pex__error_memory(err);
    }
    input->sources->format = PEX_FORMAT_JSONL;
    input->source_count = 1;
    input->feed = pex__feed_ref(feed);
    *result = input;
    return 0;
}
