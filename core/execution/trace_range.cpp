#include "core/execution/trace_range.h"

#include <string_view>
#include <unordered_map>

namespace reelgrid::execution {
namespace {

/// "runBlocks" of "void reelgrid::models::wan::WanTransformer::runBlocks(Pass&, …) const".
std::string_view shortName(std::string_view function) {
    function = function.substr(0, function.find('('));
    const auto before = function.find_last_of(": ");
    return before == std::string_view::npos ? function : function.substr(before + 1);
}

/// From the folder of the sources on.
std::string_view withinSources(std::string_view file) {
    const auto folder = file.rfind("/core/");
    return folder == std::string_view::npos ? file : file.substr(folder + 1);
}

}  // namespace

void beginRange(at::RecordFunction& range, const std::string& name, const std::vector<c10::IValue>& inputs,
                const std::source_location& here) {
    const std::string source = std::string(withinSources(here.file_name())) + "(" +
                               std::to_string(here.line()) +
                               "): " + std::string(shortName(here.function_name()));
    const std::unordered_map<std::string, c10::IValue> arguments{{"source", c10::IValue(source)}};
    if (range.needsInputs())
        range.before(name, &inputs, &arguments);
    else
        range.before(name, &arguments);
}

}  // namespace reelgrid::execution
