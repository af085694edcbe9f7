#include "core/capture/missing_captures.h"

#include <algorithm>
#include <cstdint>

#include "core/base/folder.h"
#include "core/capture/capture_folder.h"
#include "core/protocol/capture_record.h"
#include "core/pt/pt_file.h"

namespace reelgrid::capture {

namespace fs = std::filesystem;

std::vector<std::string> missingCaptures(const fs::path& folder, const std::vector<fs::path>& files) {
    const auto entries = entriesOf(folder);
    if (!entries) return {entries.error().message};
    const std::string ending = protocol::captureMetadataFile("");
    std::vector<std::string> lines;
    for (const fs::directory_entry& entry : *entries) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(ending) || name.starts_with('.')) continue;
        const auto metadata = pt::readPt(entry.path());
        if (!metadata) {
            lines.push_back(metadata.error().message);
            continue;
        }
        const std::string kernel = name.substr(0, name.size() - ending.size());
        const auto there = std::ranges::count_if(files, [&](const fs::path& file) {
            const auto capture = captureNameOf(file);
            return capture && capture->kernel == kernel;
        });
        const auto* content = metadata->as<pt::Dict>();
        const pt::Value* saved = content == nullptr ? nullptr : content->find("saved_count");
        const auto* count = saved == nullptr ? nullptr : saved->as<std::int64_t>();
        if (count != nullptr && there < *count)
            lines.push_back(entry.path().string() + ": " + std::to_string(*count) + " captures were saved, " +
                            std::to_string(there) + " are there");
    }
    std::ranges::sort(lines);
    return lines;
}

}  // namespace reelgrid::capture
