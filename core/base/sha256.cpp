#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

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

Result<std::string> sha256OfFile(const std::filesystem::path& path, const std::stop_token& stop) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ErrorCode::NotFound, path.string() + ": can't be opened for reading"};
    Sha256 hash;
    std::vector<char> chunk(1 << 20);
    while (file) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
        file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        hash.add(
            {reinterpret_cast<const std::uint8_t*>(chunk.data()), static_cast<std::size_t>(file.gcount())});
    }
    if (file.bad()) return Error{ErrorCode::Io, "can't read " + path.string() + " to its end"};
    return hash.finish();
}

}  // namespace reelgrid
