#include "core/machine/option_text.h"

#include "kernels/backends/option_bounds.h"

namespace reelgrid::machine {

std::string textOf(const Backend& backend, const kernels::BackendOption& option) {
    std::string text = option.title + "\n" + backend.name + "." + option.key + "=" + option.value;
    if (const auto bounds = kernels::boundsOfOption(backend.name, option.key)) text += "\n" + bounds->text();
    return text;
}

}  // namespace reelgrid::machine
