#include "core/hub/remote_file.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/base/opened_file.h"
#include "core/base/sha256.h"
#include "core/hub/hash_text.h"

namespace reelgrid::hub {
namespace {

using nlohmann::json;

constexpr std::size_t kMostFiles = 100'000, kLongestPath = 1000;

/// Relative, plain, and inside the folder that it is put into.
bool staysInside(const std::string& path) {
    if (path.empty() || path.size() > kLongestPath || path.front() == '/') return false;
    if (path.find('\\') != path.npos || path.find('\0') != path.npos) return false;
    for (const auto& part : std::filesystem::path(path))
        if (part == ".." || part == "." || part.empty()) return false;
    return true;
}

std::string textOf(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// What was found in a text's place, for a message.
std::string shown(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? "missing" : showJson(*found);
}

/// Of a large file that of "lfs" counts, where it is said there. Throws Failure.
std::uint64_t sizeOf(const json& entry, const std::string& path, const std::string& what) {
    const auto lfs = entry.find("lfs");
    const bool isSaidThere = lfs != entry.end() && lfs->is_object() && lfs->contains("size");
    const json& object = isSaidThere ? *lfs : entry;
    const json size = object.value("size", json());
    if (size.is_number_unsigned()) return size.get<std::uint64_t>();
    throw Failure(ErrorCode::InvalidData, what + ": the size of " + nameInOneLine(path) + " is " +
                                              (size.is_null() ? "missing" : showJson(size)) +
                                              ", a number of bytes was needed");
}

/// Throws Failure.
RemoteFile fileFrom(const json& entry, const std::string& what) {
    RemoteFile file{.path = textOf(entry, "rfilename"), .hash = textOf(entry, "blobId")};
    if (!staysInside(file.path))
        throw Failure(ErrorCode::InvalidData, what + ": the rfilename of a file is " +
                                                  shown(entry, "rfilename") +
                                                  ", a path inside the repository was needed");
    const auto lfs = entry.find("lfs");
    const bool isLarge = lfs != entry.end() && lfs->is_object();
    if (isLarge) file.hash = textOf(*lfs, "sha256");
    if (!isContentHash(file.hash))
        throw Failure(ErrorCode::InvalidData, what + ": the hash of " + nameInOneLine(file.path) + " is " +
                                                  (isLarge ? shown(*lfs, "sha256") : shown(entry, "blobId")) +
                                                  ", 40 or 64 hex digits were needed");
    file.size = sizeOf(entry, file.path, what);
    return file;
}

/// As git names a file: the SHA-1 of "blob <size>", a zero byte and the contents.
Result<std::string> gitHashOf(const std::string& path) {
    const auto opened = openRegularFile(path);
    if (!opened) return opened.error();
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    const std::string head = "blob " + std::to_string(opened->bytes) + '\0';
    EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr);
    EVP_DigestUpdate(context.get(), head.data(), head.size());
    std::array<char, 1 << 16> part{};
    for (std::uint64_t left = opened->bytes; left > 0;) {
        const std::size_t size = std::min<std::uint64_t>(left, part.size());
        if (std::fread(part.data(), 1, size, opened->file.get()) != size)
            return Error{ErrorCode::Io, "can't read " + path + " to its end"};
        EVP_DigestUpdate(context.get(), part.data(), size);
        left -= size;
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context.get(), digest.data(), &length);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (unsigned i = 0; i < length; ++i) hex += {kDigits[digest[i] / 16], kDigits[digest[i] % 16]};
    return hex;
}

}  // namespace

Result<FileList> fileListFrom(const std::string& text, const std::string& what) {
    const auto document = parseJson(text, what);
    if (!document) return document.error();
    if (!document->is_object()) return Error{ErrorCode::InvalidData, what + ": a JSON object was needed"};
    FileList list{.commit = textOf(*document, "sha"), .files = {}};
    if (!isHex(list.commit, kGitDigits))
        return Error{ErrorCode::InvalidData,
                     what + ": the commit is " + shown(*document, "sha") + ", 40 hex digits were needed"};
    const auto files = document->find("siblings");
    if (files == document->end() || !files->is_array())
        return Error{ErrorCode::InvalidData,
                     what + ": siblings is " + shown(*document, "siblings") + ", a list of files was needed"};
    if (files->size() > kMostFiles)
        return Error{ErrorCode::InvalidData, what + ": siblings has " + std::to_string(files->size()) +
                                                 " files, at most " + std::to_string(kMostFiles) +
                                                 " were needed"};
    std::map<std::string, std::string> hashes;  // by path
    try {
        for (const json& entry : *files) {
            if (!entry.is_object())
                return Error{ErrorCode::InvalidData, what + ": siblings has an entry that is no object"};
            RemoteFile file = fileFrom(entry, what);
            const auto [known, isNew] = hashes.emplace(file.path, file.hash);
            if (isNew)
                list.files.push_back(std::move(file));
            else if (known->second != file.hash)
                return Error{ErrorCode::InvalidData, what + ": " + nameInOneLine(file.path) +
                                                         " is there twice, with the hashes " + known->second +
                                                         " and " + file.hash + ": one file was needed"};
        }
    } catch (const Failure& failure) {
        return failure.error();
    }
    return list;
}

Result<std::string> hashOfFile(const std::string& path, const std::string& like) {
    return like.size() == kSha256Digits ? sha256OfFile(path) : gitHashOf(path);
}

}  // namespace reelgrid::hub
