#include "core/denoising/component_checks.h"

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/denoising/spare_tensors.h"
#include "core/weights/tensor_remark.h"

namespace reelgrid::denoising {
namespace {

using Others = ComponentCheck::Others;

std::vector<weights::ParameterCheck::Untaken> untakenOf(const ComponentCheck& component,
                                                        const weights::ParameterCheck& parameters) {
    auto files = parameters.untaken();
    for (auto& file : files)
        std::erase_if(file.tensors, [&](const std::string& tensor) {
            return isSpareTensor(tensor) ||
                   (component.isElsewhere && component.isElsewhere(file.file, tensor));
        });
    std::erase_if(files, [](const auto& file) { return file.tensors.empty(); });
    return files;
}

void addFaults(const ComponentCheck& component, ModelFaults& found) {
    weights::ParameterCheck parameters;
    try {
        component.take(parameters.open());
    } catch (const Failure& failure) {
        found.faults.push_back(failure.error().message);
        return;
    }
    found.tensors += parameters.tensors();
    found.faults.insert(found.faults.end(), parameters.faults().begin(), parameters.faults().end());
    if (component.others == Others::Allowed) return;
    for (const auto& [file, tensors] : untakenOf(component, parameters))
        for (const std::string& name : tensors)
            found.faults.push_back(file + ": tensor " + nameInOneLine(name) +
                                   " belongs to no layer of this model");
}

}  // namespace

ModelFaults faultsOf(const ComponentChecks& components) {
    ModelFaults found;
    for (const ComponentCheck& component : components) addFaults(component, found);
    return found;
}

std::vector<std::string> untakenTensors(const ComponentChecks& components) {
    std::vector<std::string> lines;
    for (const ComponentCheck& component : components) {
        if (component.others == Others::Allowed) continue;
        weights::ParameterCheck parameters;
        component.take(parameters.open());
        for (const auto& [file, tensors] : untakenOf(component, parameters))
            lines.push_back(weights::tensorRemark(file, tensors, {"belongs", "belong"},
                                                  "to no layer of this model and had no effect"));
    }
    return lines;
}

}  // namespace reelgrid::denoising
