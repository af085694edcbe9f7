#include "tests/fuzz/scratch_folder.h"

#include <unistd.h>
#include <fstream>
#include <stdexcept>
#include <string>

namespace reelgrid::fuzz {
namespace {

namespace fs = std::filesystem;

struct Folder {
    Folder() : path(fs::temp_directory_path() / ("reelgrid_fuzz_" + std::to_string(::getpid()))) {
        fs::create_directories(path);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    fs::path path;
};

}  // namespace

const fs::path& scratchFolder() {
    static const Folder folder;
    return folder.path;
}

fs::path scratchFile(std::string_view name, std::string_view bytes) {
    const fs::path file = scratchFolder() / name;
    fs::create_directories(file.parent_path());
    // A file of its own each time: one that is mapped somewhere must not change.
    fs::remove(file);
    std::ofstream stream(file, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) throw std::runtime_error("can't write " + file.string());
    return file;
}

}  // namespace reelgrid::fuzz
