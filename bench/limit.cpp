// SPDX-License-Identifier: Apache-2.0
//
// The limit loop that bench/rows measures against: what a program written for one job alone would
// do. Read, find one string with simdjson, count its code points, keep 100..100000, write in order.
//
//     limit IN OUT THREADS ondemand|dom
//
// `ondemand` looks at the one field and leaves the rest of the row unread and unchecked; `dom`
// parses and checks the whole row, as the library does. Prints the seconds it took.
#include <simdjson.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace
{

constexpr size_t chunk_bytes = 256 << 10;
constexpr size_t row_room = 8 << 20;

struct Job {
    int in, out;
    size_t bytes, chunks;
    std::atomic<size_t> next{0}; // chunk to read
    std::atomic<size_t> turn{0}; // chunk to write
};

bool wanted(std::string_view text)
{
    size_t count = 0;

    for (unsigned char c : text)
        count += (c & 0xC0) != 0x80;
    return count >= 100 && count <= 100000;
}

struct Ondemand {
    simdjson::ondemand::parser parser;

    bool keeps(char *row, size_t length, size_t capacity)
    {
        auto document = parser.iterate(row, length, capacity);
        std::string_view text;

        return !document.error() && !document["text"].get_string().get(text) && wanted(text);
    }
};

struct Dom {
    simdjson::dom::parser parser;

    bool keeps(char *row, size_t length, size_t)
    {
        simdjson::dom::element document;
        std::string_view text;

        // The row has room behind it, so nothing is copied.
        return !parser.parse(row, length, false).get(document) &&
               !document["text"].get_string().get(text) && wanted(text);
    }
};

// The rows that begin in the chunk; the byte before it tells whether a row begins at its start.
struct Chunk {
    char *begin, *limit, *end;
};

Chunk read_chunk(const Job &job, size_t index, std::vector<char> &buffer)
{
    size_t from = index * chunk_bytes, to = std::min(job.bytes, from + chunk_bytes);
    size_t start = from > 0 ? from - 1 : 0;
    size_t got = size_t(pread(job.in, buffer.data(), to - start, off_t(start)));
    Chunk chunk{buffer.data(), buffer.data() + got, nullptr};

    while (start + got < job.bytes && buffer[got - 1] != '\n') {
        size_t more =
            size_t(pread(job.in, buffer.data() + got,
                         std::min<size_t>(65536, job.bytes - start - got), off_t(start + got)));
        char *newline = static_cast<char *>(memchr(buffer.data() + got, '\n', more));

        got = newline ? size_t(newline - buffer.data()) + 1 : got + more;
        if (newline)
            break;
    }
    chunk.end = buffer.data() + got;
    if (from > 0) {
        char *newline = static_cast<char *>(memchr(chunk.begin, '\n', got));
        chunk.begin = newline ? newline + 1 : chunk.end;
    }
    return chunk;
}

template <class Parser> void work(Job &job)
{
    std::vector<char> buffer(chunk_bytes + row_room + simdjson::SIMDJSON_PADDING), kept;
    Parser parser;

    for (size_t index; (index = job.next++) < job.chunks;) {
        Chunk chunk = read_chunk(job, index, buffer);

        kept.clear();
        for (char *row = chunk.begin, *stop; row < chunk.end && row < chunk.limit; row = stop + 1) {
            stop = static_cast<char *>(memchr(row, '\n', size_t(chunk.end - row)));
            if (!stop)
                stop = chunk.end;
            if (parser.keeps(row, size_t(stop - row), size_t(buffer.data() + buffer.size() - row)))
                kept.insert(kept.end(), row, stop + 1);
        }
        while (job.turn.load(std::memory_order_acquire) != index)
            sched_yield();
        for (size_t done = 0; done < kept.size();) {
            ssize_t more = write(job.out, kept.data() + done, kept.size() - done);

            if (more < 0) {
                perror("limit: write");
                exit(1);
            }
            done += size_t(more);
        }
        job.turn.store(index + 1, std::memory_order_release);
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: limit IN OUT THREADS ondemand|dom\n");
        return 2;
    }
    auto begin = std::chrono::steady_clock::now();
    bool is_dom = strcmp(argv[4], "dom") == 0;
    struct stat status;
    Job job;

    job.in = open(argv[1], O_RDONLY);
    job.out = open(argv[2], O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (job.in < 0 || job.out < 0 || fstat(job.in, &status) != 0) {
        perror("limit: open");
        return 1;
    }
    job.bytes = size_t(status.st_size);
    job.chunks = (job.bytes + chunk_bytes - 1) / chunk_bytes;
    std::vector<std::thread> threads;
    for (int i = 0; i < atoi(argv[3]); i++)
        threads.emplace_back([&] { is_dom ? work<Dom>(job) : work<Ondemand>(job); });
    for (auto &thread : threads)
        thread.join();
    printf("%.4f\n",
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
