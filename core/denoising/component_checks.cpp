#include "core/denoising/component_checks.h"

#include "core/base/one_line.h"
#include "core/base/result.h"

namespace reelgrid::denoising {
namespace {

std::vector<weights::ParameterCheck::Untaken> untakenBut(const weights::ParameterCheck& parameters,
                                                         const ComponentChecks::IsElsewhere& isElsewhere) {
    auto files = parameters.untaken();
    if (!isElsewhere) return files;
    for (auto& file : files) std::erase_if(file.tensors, isElsewhere);
    std::erase_if(files, [](const auto& file) { return file.tensors.empty(); });
    return files;
}

}  // namespace

void ComponentChecks::check(Others others, const Take& take, const IsElsewhere& isElsewhere) {
    weights::ParameterCheck parameters;
    try {
        take(parameters.open());
    } catch (const Failure& failure) {
        m_found.faults.push_back(failure.error().message);
        return;
    }
    m_found.tensors += parameters.tensors();
    m_found.faults.insert(m_found.faults.end(), parameters.faults().begin(), parameters.faults().end());
    if (others == Others::Allowed) return;
    for (const auto& [file, tensors] : untakenBut(parameters, isElsewhere))
        for (const std::string& name : tensors)
            m_found.faults.push_back(file + ": tensor " + nameInOneLine(name) +
                                     " belongs to no layer of this model");
}

std::vector<std::string> untakenTensors(const ComponentChecks::Take& take,
                                        const ComponentChecks::IsElsewhere& isElsewhere) {
    weights::ParameterCheck parameters;
    take(parameters.open());
    std::vector<std::string> lines;
    for (const auto& [file, tensors] : untakenBut(parameters, isElsewhere)) {
        const bool isOne = tensors.size() == 1;
        lines.push_back(file + ": " + std::to_string(tensors.size()) +
                        (isOne ? " tensor belongs" : " tensors belong") +
                        " to no layer of this model and had no effect (" + nameInOneLine(tensors.front()) +
                        (isOne ? ")" : ", …)"));
    }
    return lines;
}

}  // namespace reelgrid::denoising
