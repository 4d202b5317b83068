/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern.h"
#include "python_parser.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct pex__span) == 2 * sizeof(PCRE2_SIZE),
               "PCRE2's pairs are read as groups");

struct pex__pattern {
    pcre2_code *code;
    struct pex__python python;
    char *source; /* the names lie in it */
    int required; /* a byte that every match has; -1 if none is known */
};

struct pex__session {
    const pcre2_code *code;
    int required;
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack; /* NULL until a search needs more than the thread's own */
    struct pex_string_view text;
    size_t at;
    size_t required_at; /* where the byte is, if that is not before `at` */
    bool was_empty;     /* the match before */
    bool is_done;
    uint64_t work; /* left for this text */
    size_t start;  /* of the try that is counted, and the place where it was last seen */
    size_t seen;
};

static pcre2_compile_context *make_context(void)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        return NULL;
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
    pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
    return context;
}

static uint32_t options_of(uint32_t flags)
{
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C;
    options |= flags & PEX__PYTHON_CASELESS ? PCRE2_CASELESS : 0;
    options |= flags & PEX__PYTHON_MULTILINE ? PCRE2_MULTILINE : 0;
    options |= flags & PEX__PYTHON_DOTALL ? PCRE2_DOTALL : 0;
    return options;
}

const char *pex__property_kind(const char *name, bool is_script)
{
    static const char *const kinds[] = {"sc:", ""};
    for (size_t i = 0; i < (is_script ? 1 : 2); i++) {
        char text[80];
        int code;
        PCRE2_SIZE offset;
        snprintf(text, sizeof(text), "\\p{%s%s}", kinds[i], name);
        pcre2_code *known =
            pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &code, &offset, NULL);
        pcre2_code_free(known);
        if (known)
            return kinds[i];
    }
    return NULL;
}

/* A letter may stand for its other case. */
static int required_byte(const pcre2_code *code)
{
    uint32_t kind = 0, unit = 0;
    pcre2_pattern_info(code, PCRE2_INFO_LASTCODETYPE, &kind);
    pcre2_pattern_info(code, PCRE2_INFO_LASTCODEUNIT, &unit);
    bool is_letter = (unit | 0x20) >= 'a' && (unit | 0x20) <= 'z';
    return kind && unit < 0x80 && !is_letter ? (int)unit : -1;
}

static int32_t compile(struct pex__pattern *pattern, struct pex_string_view source, char error[300])
{
    const struct pex__python *python = &pattern->python;
    uint32_t options = options_of(python->flags);
    pcre2_compile_context *context = make_context();
    int code;
    PCRE2_SIZE offset;
    if (!context)
        return PEX_ENOMEM;
    pattern->code = pcre2_compile(
        (PCRE2_SPTR)(python->out.data ? python->out.data : ""), python->out.length,
        python->can_go_back ? options | PCRE2_AUTO_CALLOUT : options, &code, &offset, context);
    pcre2_compile_context_free(context);
    if (!pattern->code) {
        PCRE2_UCHAR reason[160] = "";
        if (code == PCRE2_ERROR_NOMEMORY)
            return PEX_ENOMEM;
        pcre2_get_error_message(code, reason, sizeof(reason));
        snprintf(error, 300, "at position %zu: %s",
                 pex__python_position(python, source, offset ? offset - 1 : 0), (char *)reason);
        return PEX_EINVAL;
    }
    /* Without compiled code (a machine that forbids it, say) PCRE2 interprets the pattern. */
    pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
    pattern->required = required_byte(pattern->code);
    return 0;
}

static int32_t init(struct pex__pattern *pattern, struct pex_string_view source, uint32_t dialect,
                    uint32_t flags, char error[300])
{
    pattern->source = malloc(source.length + 1);
    if (!pattern->source)
        return PEX_ENOMEM;
    memcpy(pattern->source, source.data, source.length);
    source.data = pattern->source;
    int32_t rc = pex__python_translate(&pattern->python, source, dialect, flags);
    if (rc)
        return rc;
    if (!pattern->python.error[0])
        return compile(pattern, source, error);
    snprintf(error, 300, "%s", pattern->python.error);
    return PEX_EINVAL;
}

int32_t pex__pattern_create(struct pex__pattern **made, struct pex_string_view source,
                            uint32_t dialect, uint32_t flags, char error[300])
{
    struct pex__pattern *pattern = calloc(1, sizeof(*pattern));
    int32_t rc = pattern ? init(pattern, source, dialect, flags, error) : PEX_ENOMEM;
    if (!rc)
        *made = pattern;
    else
        pex__pattern_free(pattern);
    if (rc == PEX_ENOMEM)
        snprintf(error, 300, "out of memory");
    return rc;
}

void pex__pattern_free(struct pex__pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    pex__python_free(&pattern->python);
    free(pattern->source);
    free(pattern);
}

size_t pex__pattern_groups(const struct pex__pattern *pattern)
{
    return pattern->python.group_count;
}

const struct pex__group_names *pex__pattern_names(const struct pex__pattern *pattern)
{
    return &pattern->python.names;
}

/*
 * PCRE2 counts neither the tries from one place after another nor the characters that a repetition
 * runs over, so its own limit lets a pattern take the square of a text's length, or worse. Patterns
 * that can are compiled to call this before every item.
 */
static int count_work(pcre2_callout_block *block, void *data)
{
    struct pex__session *session = data;
    size_t at = block->current_position;
    if (block->start_match != session->start)
        session->start = session->seen = block->start_match;
    uint64_t moved = at > session->seen ? at - session->seen : session->seen - at;
    session->seen = at;
    if (session->work < moved + 16)
        return PCRE2_ERROR_MATCHLIMIT;
    session->work -= moved + 16;
    return 0;
}

struct pex__session *pex__session_create(const struct pex__pattern *pattern)
{
    struct pex__session *session = calloc(1, sizeof(*session));
    if (!session)
        return NULL;
    session->code = pattern->code;
    session->required = pattern->required;
    session->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    session->context = pcre2_match_context_create(NULL);
    if (!session->match || !session->context) {
        pex__session_free(session);
        return NULL;
    }
    pcre2_set_callout(session->context, count_work, session);
    pcre2_set_match_limit(session->context, PEX__PATTERN_STEPS);
    pcre2_set_heap_limit(session->context, PEX__PATTERN_KIB);
    return session;
}

void pex__session_free(struct pex__session *session)
{
    if (!session)
        return;
    pcre2_match_data_free(session->match);
    pcre2_match_context_free(session->context);
    pcre2_jit_stack_free(session->stack);
    free(session);
}

void pex__session_text(struct pex__session *session, struct pex_string_view text)
{
    pex__session_part(session, text);
    session->work = PEX__PATTERN_WORK + (uint64_t)text.length * PEX__PATTERN_WORK_PER_BYTE;
}

void pex__session_part(struct pex__session *session, struct pex_string_view part)
{
    session->text = part;
    session->at = session->required_at = 0;
    session->start = session->seen = 0;
    session->was_empty = false;
    session->is_done = false;
}

static int match(struct pex__session *session)
{
    uint32_t options = PCRE2_NO_UTF_CHECK | (session->was_empty ? PCRE2_NOTEMPTY_ATSTART : 0);
    const char *text = session->text.data ? session->text.data : "";
    return pcre2_match(session->code, (PCRE2_SPTR)text, session->text.length, session->at, options,
                       session->match, session->context);
}

/* A search starts on the thread's own stack, which is enough for nearly all. */
static int match_with_room(struct pex__session *session)
{
    int rc = match(session);
    if (rc != PCRE2_ERROR_JIT_STACKLIMIT || session->stack)
        return rc;
    session->stack =
        pcre2_jit_stack_create((size_t)64 * 1024, (size_t)PEX__PATTERN_KIB * 1024, NULL);
    if (!session->stack)
        return PCRE2_ERROR_NOMEMORY;
    pcre2_jit_stack_assign(session->context, NULL, session->stack);
    return match(session);
}

static int32_t code_of(int rc)
{
    switch (rc) {
    case PCRE2_ERROR_NOMATCH:
        return 0;
    case PCRE2_ERROR_NOMEMORY:
        return PEX_ENOMEM;
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        return PEX_ELIMIT;
    default:
        return PEX_EINTERNAL;
    }
}

/* PCRE2 leaves groups past the last that took part as they are. */
static void clear_rest(struct pex__span *groups, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++)
        groups[i] = (struct pex__span){SIZE_MAX, SIZE_MAX};
}

/* PCRE2 looks for such a byte itself, but only some thousand bytes ahead. */
static bool lacks_required(struct pex__session *session)
{
    size_t from = session->at, rest = session->text.length - from;
    if (session->required < 0 || session->required_at > from)
        return false;
    const char *found = rest ? memchr(session->text.data + from, session->required, rest) : NULL;
    session->required_at = found ? (size_t)(found - session->text.data) : 0;
    return !found;
}

int32_t pex__session_next(struct pex__session *session, const struct pex__span **groups)
{
    if (session->is_done || lacks_required(session))
        return 0;
    int rc = match_with_room(session);
    if (rc <= 0) {
        session->is_done = true;
        return rc ? code_of(rc) : PEX_EINTERNAL;
    }
    struct pex__span *found = (struct pex__span *)(void *)pcre2_get_ovector_pointer(session->match);
    clear_rest(found, (size_t)rc, pcre2_get_ovector_count(session->match));
    /* Only \K could put the start behind the end, and it is never passed on. */
    session->at = found[0].end;
    session->was_empty = found[0].start == found[0].end;
    *groups = found;
    return 1;
}

const char *pex__session_reason(int32_t code)
{
    return code == PEX_ELIMIT
               ? "the search was given up, as it takes too many steps or more than 32 MiB of "
                 "places "
                 "to come back to; a pattern with fewer ways to match the same text needs less"
               : "the search failed";
}
