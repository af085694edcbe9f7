#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "core/base/opened_file.h"

namespace reelgrid {

struct Sha256::State {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    State() {
        if (context == nullptr || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1)
            throw Failure(ErrorCode::Internal, "SHA-256 can't be started");
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : m_state(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::span<const std::uint8_t> bytes) {
    EVP_DigestUpdate(m_state->context, bytes.data(), bytes.size());
}

std::string Sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(m_state->context, digest.data(), &length);
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
        text += kHex[digest[i] >> 4];
        text += kHex[digest[i] & 15];
    }
    return text;
}

std::string sha256Hex(std::span<const std::uint8_t> bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

std::string sha256Hex(std::string_view text) {
    return sha256Hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Result<std::string> sha256OfFile(const std::filesystem::path& path, const std::stop_token& stop) {
    const auto opened = openRegularFile(path);
    if (!opened) return opened.error();
    Sha256 hash;
    std::vector<std::uint8_t> chunk(1 << 20);
    for (std::uint64_t left = opened->bytes; left > 0; left -= chunk.size()) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
        chunk.resize(std::min<std::uint64_t>(left, chunk.size()));
        if (std::fread(chunk.data(), 1, chunk.size(), opened->file.get()) != chunk.size())
            return Error{ErrorCode::Io, "can't read " + path.string() + " to its end"};
        hash.add(chunk);
    }
    return hash.finish();
}

}  // namespace reelgrid
