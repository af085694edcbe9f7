#include "core/weights/tensor_remark.h"

#include "core/base/one_line.h"

namespace reelgrid::weights {

std::string tensorRemark(const std::filesystem::path& file, const std::vector<std::string>& names, Verb verb,
                         const std::string& rest) {
    const bool isOne = names.size() == 1;
    return file.string() + ": " + std::to_string(names.size()) + (isOne ? " tensor " : " tensors ") +
           (isOne ? verb.one : verb.several) + ' ' + rest + " (" + nameInOneLine(names.front()) +
           (isOne ? ")" : ", …)");
}

}  // namespace reelgrid::weights
