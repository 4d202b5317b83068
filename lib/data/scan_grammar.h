/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar, once for both readers of it: the reference, which looks at every byte and knows what
 * is wrong where, and the fast walk, which jumps by bitmaps and only has to know that something is
 * wrong. Who includes this has a type `reader` with a member struct pex__walk `walk`, and these:
 *
 * - at_end(r, pos);
 * - peek(r, pos), the byte there; at the end of the line something that fits nowhere;
 * - skip_blanks(r, pos), skip_digits(r, pos), which return the first place behind;
 * - read_string(r, &pos), from the opening quote to behind the closing one;
 * - has_escape(r, begin, end), whether that string holds a backslash;
 * - known_member(r, &pos, parent, &key), a short cut from in front of a member to its value, and
 *   learn_member(r, begin, end, parent, key), told of members that it did not know;
 * - skip_numbers(r, &pos, room), a short cut from an element to the end of its array of numbers, in
 *   which `room` levels may be open, and begin_array(r), told of arrays that are in no other.
 *
 * All that read return a PEX__ROW_* reason and leave *pos behind what they read, or at the damage.
 */

/* What stands at pos does not fit: because of what it is, or because the line is over. */
static inline int32_t misfit(const reader *r, size_t pos, int32_t reason)
{
    return at_end(r, pos) ? PEX__ROW_UNFINISHED : reason;
}

static inline int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* At least one digit. */
static inline int32_t read_digits(const reader *r, size_t *pos)
{
    if (!is_digit(peek(r, *pos)))
        return misfit(r, *pos, PEX__ROW_NUMBER);
    *pos = skip_digits(r, *pos + 1);
    return PEX__ROW_OK;
}

static inline int32_t read_exponent(const reader *r, size_t *pos)
{
    int sign;

    if ((peek(r, *pos) | 0x20) != 'e')
        return PEX__ROW_OK;
    sign = peek(r, ++*pos);
    *pos += sign == '+' || sign == '-';
    return read_digits(r, pos);
}

static inline int32_t read_number(const reader *r, size_t *pos)
{
    int32_t bad;

    *pos += peek(r, *pos) == '-';
    if (peek(r, *pos) == '0') {
        ++*pos;
        if (is_digit(peek(r, *pos)))
            return PEX__ROW_NUMBER;
    } else if ((bad = read_digits(r, pos)) != 0) {
        return bad;
    }
    if (peek(r, *pos) == '.') {
        ++*pos;
        if ((bad = read_digits(r, pos)) != 0)
            return bad;
    }
    return read_exponent(r, pos);
}

static inline int32_t read_literal(const reader *r, size_t *pos, const char *text)
{
    size_t i = 0;

    while (text[i] != '\0' && peek(r, *pos + i) == text[i])
        i++;
    if (text[i] == '\0') {
        *pos += i;
        return PEX__ROW_OK;
    }
    if (!at_end(r, *pos + i))
        return PEX__ROW_LITERAL;
    *pos += i;
    return PEX__ROW_UNFINISHED;
}

/* A value that is neither object nor array. */
static inline int32_t read_scalar(reader *r, size_t *pos, const struct pex__key *key)
{
    size_t begin = *pos;
    uint8_t type;
    int32_t bad;

    switch (peek(r, begin)) {
    case '"':
        bad = read_string(r, pos);
        type = PEX__STRING;
        if (bad == 0 && key != NULL && key->column >= 0 && has_escape(r, begin, *pos))
            type = PEX__ESCAPED;
        break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        bad = read_number(r, pos);
        type = PEX__NUMBER;
        break;
    case 't':
        bad = read_literal(r, pos, "true");
        type = PEX__TRUE;
        break;
    case 'f':
        bad = read_literal(r, pos, "false");
        type = PEX__FALSE;
        break;
    case 'n':
        bad = read_literal(r, pos, "null");
        type = PEX__NULL;
        break;
    default:
        return misfit(r, begin, PEX__ROW_SYNTAX);
    }
    if (bad == 0)
        pex__walk_note(&r->walk, key, type, begin, *pos);
    return bad;
}

/* From the brace or comma in front of a member to its value; *key gets the wanted key or NULL. */
static int32_t read_member(reader *r, size_t *pos, const struct pex__key *parent,
                           const struct pex__key **key)
{
    size_t before = *pos, begin, end;
    int32_t bad;

    begin = *pos = skip_blanks(r, *pos + 1);
    if (peek(r, begin) != '"')
        return misfit(r, begin, PEX__ROW_SYNTAX);
    if ((bad = read_string(r, pos)) != 0)
        return bad;
    end = *pos;
    *pos = skip_blanks(r, end);
    if (peek(r, *pos) != ':')
        return misfit(r, *pos, PEX__ROW_SYNTAX);
    *pos = skip_blanks(r, *pos + 1);
    *key = parent == NULL ? NULL : pex__key_find(parent, r->walk.data + begin + 1, end - begin - 2);
    learn_member(r, before, *pos, parent, *key);
    return PEX__ROW_OK;
}

/* The copies keep the caller's variables in registers: only they have an address. */
static inline int32_t next_member(reader *r, size_t *pos, const struct pex__key *parent,
                                  const struct pex__key **key)
{
    const struct pex__key *found;
    size_t at = *pos;
    int32_t bad = PEX__ROW_OK;

    if (!known_member(r, pos, parent, key)) {
        bad = read_member(r, &at, parent, &found);
        *pos = at;
        *key = bad == 0 ? found : NULL;
    }
    if (*key != NULL && (*key)->child_count != 0)
        pex__walk_forget(&r->walk, *key);
    return bad;
}

/* Opens the bracket at *pos. Non-zero *has_value: *pos is at the first value inside, else at the
 * closing bracket. */
static inline int32_t open_bracket(reader *r, size_t *pos, struct pex__level **level,
                                   const struct pex__key **key, int *has_value)
{
    int c = peek(r, *pos);
    size_t first = skip_blanks(r, *pos + 1);

    if (*level == r->walk.levels + PEX__DEPTH_MAX)
        return PEX__ROW_DEPTH;
    if (c == '[' && (*level)->close != ']')
        begin_array(r);
    *++*level = (struct pex__level){*key, (uint32_t)*pos, (char)(c + 2)};
    *has_value = peek(r, first) != c + 2;
    if (c == '{' && *has_value)
        return next_member(r, pos, *key, key);
    *pos = first;
    *key = NULL;
    return PEX__ROW_OK;
}

/* From behind a value, closing what ends there, to the next value, if any is left inside. */
static inline int32_t next_value(reader *r, size_t *pos, struct pex__level **level,
                                 const struct pex__key **key)
{
    while (*level != r->walk.levels) {
        size_t room = (size_t)(r->walk.levels + PEX__DEPTH_MAX - *level) + 1;
        char close = (*level)->close;

        *pos = skip_blanks(r, *pos);
        if (peek(r, *pos) == close) {
            pex__walk_note(&r->walk, (*level)->key, close == '}' ? PEX__OBJECT : PEX__ARRAY,
                           (*level)->begin, ++*pos);
            --*level;
            continue;
        }
        if (peek(r, *pos) != ',')
            return misfit(r, *pos, PEX__ROW_SYNTAX);
        if (close == '}')
            return next_member(r, pos, (*level)->key, key);
        *pos = skip_blanks(r, *pos + 1);
        *key = NULL;
        if (!skip_numbers(r, pos, room))
            break;
    }
    return PEX__ROW_OK;
}

/*
 * Any value, from its first byte to behind its last; `key` is its wanted key or NULL. A loop with a
 * stack of its own instead of recursion, all of it inlined: depth costs no stack, and the state of
 * the hottest code we have stays in registers.
 */
static inline int32_t read_value(reader *r, size_t *at, const struct pex__key *key)
{
    struct pex__level *level = r->walk.levels;
    size_t pos = *at;
    int32_t bad;

    level->close = '\0';
    do {
        int c = peek(r, pos), has_value = 0;

        if (c == '{' || c == '[')
            bad = open_bracket(r, &pos, &level, &key, &has_value);
        else
            bad = read_scalar(r, &pos, key);
        if (bad == 0 && !has_value)
            bad = next_value(r, &pos, &level, &key);
    } while (bad == 0 && level != r->walk.levels);
    *at = pos;
    return bad;
}

/* A line that is not blank, from its first byte on: an object, blanks around it. */
static inline int32_t read_row(reader *r, size_t *pos, const struct pex__key *root,
                               struct pex__span *object)
{
    size_t begin = *pos = skip_blanks(r, *pos), end;
    int32_t bad;

    if (peek(r, begin) != '{')
        return PEX__ROW_NOT_OBJECT;
    if ((bad = read_value(r, pos, root)) != 0)
        return bad;
    end = *pos;
    *pos = skip_blanks(r, end);
    if (!at_end(r, *pos))
        return PEX__ROW_TRAILING;
    *object = (struct pex__span){(uint32_t)begin, (uint32_t)(end - begin)};
    return PEX__ROW_OK;
}
