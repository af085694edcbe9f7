#include "core/families/field_help.h"

#include <algorithm>
#include <optional>

#include "core/families/family.h"

namespace reelgrid::families {
namespace {

std::optional<std::string> noteOf(const Family& family, std::string_view key) {
    if (key == "scheduler" && family.schedulers.empty()) return std::nullopt;
    if (key == "scheduler") {
        std::string names;
        for (const std::string_view name : family.schedulers)
            names.append(names.empty() ? "" : ", ").append(name);
        return names;
    }
    const auto note = std::ranges::find(family.notes, key, &FieldNote::key);
    if (note == family.notes.end()) return std::nullopt;
    return std::string(note->text);
}

}  // namespace

std::string helpOf(const protocol::RenderField& field) {
    std::string notes;
    for (const Family& family : families()) {
        const auto note = noteOf(family, field.key);
        if (!note) continue;
        notes.append(notes.empty() ? "" : "; ").append(family.title);
        if (!note->empty()) notes.append(": ").append(*note);
    }
    return field.help + (notes.empty() ? "" : " (" + notes + ")");
}

}  // namespace reelgrid::families
