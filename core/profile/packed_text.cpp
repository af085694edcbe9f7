#include "core/profile/packed_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace reelgrid::profile {
namespace {

constexpr std::size_t kUnpackedBytes = std::size_t{256} << 10;

/// What zlib says, without the name that it gives a file which it got as a descriptor: "<fd:3>: ".
std::string withoutDescriptor(const std::string& message) {
    const auto end = message.starts_with("<fd:") ? message.find(">: ") : std::string::npos;
    return end == std::string::npos ? message : message.substr(end + 3);
}

}  // namespace

struct PackedText::File {
    File(gzFile opened, std::uint64_t size) : gz(opened), bytes(size) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { gzclose(gz); }
    gzFile gz;
    std::uint64_t bytes;  ///< on the disk
};

Result<std::unique_ptr<PackedText>> PackedText::open(const std::filesystem::path& file,
                                                     const TextLimits& limits, ReadProgress progress) {
    // Not blocking: a pipe that nobody writes to would never open.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return Error{errno == ENOENT || errno == ENOTDIR ? ErrorCode::NotFound : ErrorCode::Io,
                     file.string() + ": " + std::strerror(errno)};
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return Error{ErrorCode::InvalidData, file.string() + ": not a regular file"};
    }
    gzFile gz = gzdopen(descriptor, "rb");
    if (gz == nullptr) {
        ::close(descriptor);
        return Error{ErrorCode::Io, file.string() + ": can't be read"};
    }
    return std::unique_ptr<PackedText>(
        new PackedText(std::make_unique<File>(gz, static_cast<std::uint64_t>(status.st_size)), file, limits,
                       std::move(progress)));
}

PackedText::PackedText(std::unique_ptr<File> file, std::filesystem::path name, const TextLimits& limits,
                       ReadProgress progress)
    : m_file(std::move(file)),
      m_name(std::move(name)),
      m_limits(limits),
      m_progress(std::move(progress)),
      m_block(kUnpackedBytes) {}

PackedText::~PackedText() = default;

PackedText::int_type PackedText::fail(ErrorCode code, const std::string& message) {
    m_error = Error{code, m_name.string() + ": " + message};
    return traits_type::eof();
}

PackedText::int_type PackedText::underflow() {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    if (m_error) return traits_type::eof();
    const int read = gzread(m_file->gz, m_block.data(), static_cast<unsigned>(m_block.size()));
    if (read <= 0) {
        // A file that is cut short reads well until here.
        int status = Z_OK;
        const std::string why = withoutDescriptor(gzerror(m_file->gz, &status));
        if (status == Z_ERRNO) return fail(ErrorCode::Io, std::strerror(errno));
        if (status == Z_BUF_ERROR) return fail(ErrorCode::InvalidData, "the gzip file is cut short");
        if (status != Z_OK && status != Z_STREAM_END)
            return fail(ErrorCode::InvalidData, "the gzip file is damaged (" + why + ")");
        return traits_type::eof();
    }
    m_bytes += static_cast<std::uint64_t>(read);
    if (m_progress) m_progress(static_cast<std::uint64_t>(gzoffset(m_file->gz)), m_file->bytes);
    if (m_bytes > m_limits.bytes)
        return fail(ErrorCode::InvalidData,
                    "unpacks to more than " + std::to_string(m_limits.bytes >> 20) + " MiB");
    if (m_bytes > m_limits.grownBytes && m_bytes / m_limits.growth > m_file->bytes)
        return fail(ErrorCode::InvalidData, "unpacks to more than " + std::to_string(m_limits.growth) +
                                                " times its " + std::to_string(m_file->bytes) +
                                                " bytes, which no trace does");
    if (!wordsFit(m_block.data(), m_block.data() + read))
        return m_blankBytes > m_limits.blankBytes
                   ? fail(ErrorCode::InvalidData, "has more than " + std::to_string(m_limits.blankBytes) +
                                                      " bytes of white space on end")
                   : fail(ErrorCode::InvalidData, "has a text or number of more than " +
                                                      std::to_string(m_limits.wordBytes) + " bytes");
    setg(m_block.data(), m_block.data(), m_block.data() + read);
    return traits_type::to_int_type(*gptr());
}

bool PackedText::wordsFit(const char* begin, const char* end) {
    for (const char* at = begin; at != end; ++at) {
        const char c = *at;
        const bool isBlank = !m_inString && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
        m_blankBytes = isBlank ? m_blankBytes + 1 : 0;
        if (m_inString) {
            ++m_wordBytes;
            if (m_escaped)
                m_escaped = false;
            else if (c == '\\')
                m_escaped = true;
            else if (c == '"')
                m_inString = false;
        } else if (c == '"') {
            m_inString = true;
            m_wordBytes = 0;
        } else if (c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || isBlank) {
            m_wordBytes = 0;
        } else {
            ++m_wordBytes;
        }
        if (m_wordBytes > m_limits.wordBytes || m_blankBytes > m_limits.blankBytes) return false;
    }
    return true;
}

std::string PackedText::beginning(std::size_t bytes) {
    if (underflow() == traits_type::eof()) return {};
    return {gptr(), gptr() + std::min(bytes, static_cast<std::size_t>(egptr() - gptr()))};
}

}  // namespace reelgrid::profile
