// SPDX-License-Identifier: Apache-2.0
// A host in C++17 on the plain C interface: handles that release themselves, errors as exceptions,
// and an operator whose `user` is an object of the host. An exception must not leave a callback.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <partexec/partexec.h>

namespace
{

struct Closer {
    void operator()(pex_context *ctx) const
    {
        pex_context_destroy(ctx, -1, nullptr);
    }
    void operator()(pex_spec *spec) const
    {
        pex_spec_release(spec);
    }
    void operator()(pex_job *job) const
    {
        pex_job_release(job);
    }
    void operator()(pex_rows *rows) const
    {
        pex_rows_release(rows);
    }
};
template <typename T> using Handle = std::unique_ptr<T, Closer>;

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Calls function(arguments.., &err); a failure becomes an exception with its text.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments)
{
    pex_error err{};
    if (function(arguments..., &err) != 0)
        throw Error(err.message);
}

// What a function of the table throws ends here, as the operator's own failure.
template <typename Body> int32_t guarded(pex_error *err, Body body) noexcept
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return pex_error_set(err, PEX_ENOMEM, "no memory");
    } catch (const std::exception &e) {
        return pex_error_set(err, PEX_ECALLBACK, "%s", e.what());
    }
}

struct Shouting {
    std::string mark;
};

int32_t create(pex_env *env, const pex_params *, void **instance, pex_error *) noexcept
{
    *instance = pex_env_user(env);
    return 0;
}

int32_t process(void *instance, pex_batch *batch, pex_error *err) noexcept
{
    return guarded(err, [&] {
        const auto *shouting = static_cast<const Shouting *>(instance);
        const pex_string_view *texts;
        const uint8_t *states;
        int32_t rc = pex_batch_strings(batch, 0, &texts, &states);
        for (size_t row = 0; rc == 0 && row < pex_batch_rows(batch); row++) {
            if (states[row] != PEX_STATE_VALUE)
                continue;
            std::string text(texts[row].data, texts[row].length);
            for (char &c : text)
                if (c >= 'a' && c <= 'z')
                    c = static_cast<char>(c - 'a' + 'A');
            text += shouting->mark;
            rc = pex_batch_set_string(batch, 0, row, {text.data(), text.size()});
        }
        return rc;
    });
}

void register_shout(pex_context *ctx, std::string_view mark)
{
    static const pex_field_def field = {"text", nullptr, PEX_FIELD_PATH,
                                        PEX_FIELD_READ | PEX_FIELD_WRITE};
    pex_operator op{};
    op.struct_size = sizeof(op);
    op.name = "shout_mapper";
    op.version = "1";
    op.help = "Turns a to z into capitals and adds a mark.";
    op.cardinality = PEX_ROW_TO_ROW;
    op.flags = PEX_OP_REENTRANT | PEX_OP_RETRY_SAFE;
    op.fields = &field;
    op.field_count = 1;
    op.field_stride = sizeof(field);
    op.create = create;
    op.process = process;
    // The library owns the object once the registration has succeeded, and not before.
    auto user = std::make_unique<Shouting>(Shouting{std::string(mark)});
    call(
        pex_operator_register, ctx, &op, static_cast<void *>(user.get()),
        +[](void *object) { delete static_cast<Shouting *>(object); });
    user.release();
}

Handle<pex_job> submit(pex_context *ctx, const char *input)
{
    constexpr std::string_view text = R"({"process": ["shout_mapper"]})";
    pex_spec *parsed;
    call(pex_spec_parse, text.data(), text.size(), &parsed);
    Handle<pex_spec> spec(parsed);
    call(pex_spec_set, spec.get(), "dataset_path", input);

    pex_job_options options{};
    options.struct_size = sizeof(options);
    options.pull = 1;
    pex_job *job;
    call(pex_job_submit, ctx, spec.get(), static_cast<pex_dataset *>(nullptr), &options, &job);
    return Handle<pex_job>(job);
}

void print_rows(pex_job *job)
{
    for (;;) {
        pex_error err{};
        pex_rows *taken;
        const int32_t rc = pex_job_next_batch(job, -1, &taken, &err);
        if (rc == PEX_ENOENT)
            return;
        if (rc != 0)
            throw Error(err.message);
        Handle<pex_rows> rows(taken);
        const pex_string_view lines = pex_rows_data(rows.get());
        std::fwrite(lines.data, 1, lines.length, stdout);
    }
}

void run(const char *input, const char *mark)
{
    pex_context *created;
    call(pex_context_create, static_cast<const pex_context_options *>(nullptr), &created);
    Handle<pex_context> ctx(created);
    register_shout(ctx.get(), mark);
    Handle<pex_job> job = submit(ctx.get(), input);
    print_rows(job.get());
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: host_cpp INPUT [MARK]\n");
        return 2;
    }
    try {
        run(argv[1], argc == 3 ? argv[2] : "!");
    } catch (const std::exception &e) {
        std::fprintf(stderr, "host_cpp: %s\n", e.what());
        return 1;
    }
    return 0;
}
