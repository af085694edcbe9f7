#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace reelgrid::weights {

/// A .safetensors file whose tensors can be hidden one at a time: the header has another name of the same
/// length for one.
class HiddenTensors {
  public:
    explicit HiddenTensors(std::filesystem::path file) : m_file(std::move(file)) {
        std::ifstream in(m_file, std::ios::binary);
        std::uint64_t length = 0;
        in.read(reinterpret_cast<char*>(&length), sizeof length);
        m_header.resize(length);
        in.read(m_header.data(), static_cast<std::streamsize>(length));
    }
    /// False where the file has no such tensor.
    [[nodiscard]] bool hide(const std::string& tensor) const { return writeLastCharacter(tensor, '~'); }
    void show(const std::string& tensor) const { (void)writeLastCharacter(tensor, tensor.back()); }

  private:
    bool writeLastCharacter(const std::string& tensor, char character) const {
        const auto at = m_header.find("\"" + tensor + "\":");
        if (at == m_header.npos) return false;
        std::fstream out(m_file, std::ios::binary | std::ios::in | std::ios::out);
        out.seekp(static_cast<std::streamoff>(sizeof(std::uint64_t) + at + tensor.size()));
        return static_cast<bool>(out.put(character).flush());
    }

    std::filesystem::path m_file;
    std::string m_header;
};

/// Names that differ in numbers alone are of one kind; of each kind the last tensor, before which most of the
/// model is loaded.
inline std::vector<std::string> lastOfEachKind(const std::vector<std::string>& tensors) {
    std::map<std::string, std::string> last;
    for (const std::string& tensor : tensors) {
        std::string kind = tensor;
        std::ranges::replace_if(
            kind, [](unsigned char c) { return std::isdigit(c) != 0; }, '#');
        last[kind] = tensor;
    }
    std::vector<std::string> names;
    for (const auto& [kind, tensor] : last) names.push_back(tensor);
    return names;
}

}  // namespace reelgrid::weights
