/* rapidgzip's reader, from the headers of its source distribution, on zlib (its wheels have ISA-L or zlib-ng). Its cache cannot
   be set: 16 chunks of 4 MiB, more than anyone else gets. Its CRC check ends where reading is not sequential. */
extern "C" {
#include "peer.h"
#include "gzip_pack.h"
}

#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <rapidgzip/rapidgzip.hpp>

using Reader = rapidgzip::ParallelGzipReader<>;

static std::unique_ptr<rapidgzip::FileReader> file(const std::string &path) {
    return std::make_unique<rapidgzip::StandardFileReader>(path);
}

static unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

extern "C" const char *peer_version(void) {
    static const std::string text = "rapidgzip " + rapidgzip::VERSION_STRING + " on zlib";
    return text.c_str();
}

extern "C" int peer_pack(const char *document, const char *packed, int setting) try {
    if (gzip_pack(document, packed, setting) != 0) return -1;
    Reader reader(file(packed), cores());
    std::ofstream index(std::string(packed) + ".index", std::ios::binary);
    reader.exportIndex([&](const void *bytes, size_t count) {
        index.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(count));
    });
    return index.good() ? 0 : -1;
} catch (...) {
    return -1;
}

extern "C" void *peer_open(const char *packed, size_t) try {
    auto reader = std::make_unique<Reader>(file(packed), cores());
    reader->importIndex(file(std::string(packed) + ".index"));
    return reader.release();
} catch (...) {
    return nullptr;
}

extern "C" int64_t peer_read(void *peer, uint64_t offset, void *buffer, size_t count) try {
    auto *reader = static_cast<Reader *>(peer);
    reader->seek(static_cast<long long>(offset));
    return static_cast<int64_t>(reader->read(static_cast<char *>(buffer), count));
} catch (...) {
    return -1;
}

extern "C" void peer_close(void *peer) { delete static_cast<Reader *>(peer); }
