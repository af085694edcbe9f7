#include "core/parallel/shared_tensors.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/json.h"

namespace reelgrid::parallel {

using nlohmann::json;

std::map<std::string, at::Tensor> sharedFromFirst(Communicator& ranks,
                                                  const std::map<std::string, at::Tensor>& tensors,
                                                  at::Device device) {
    json described = json::object();
    for (const auto& [name, tensor] : tensors)
        described[name] = {{"dtype", static_cast<int>(tensor.scalar_type())},
                           {"shape", tensor.sizes().vec()}};
    described = parseJson(ranks.fromFirst(printJson(described)), "the first rank's tensors").value();
    std::map<std::string, at::Tensor> shared;
    for (const auto& [name, what] : described.items()) {
        const auto dtype = static_cast<at::ScalarType>(what["dtype"].get<int>());
        const auto shape = what["shape"].get<std::vector<std::int64_t>>();
        const at::Tensor mine = ranks.rank() == 0
                                    ? tensors.at(name).to(device)
                                    : at::empty(shape, at::TensorOptions().dtype(dtype).device(device));
        shared[name] = ranks.fromFirst(mine);
    }
    return shared;
}

}  // namespace reelgrid::parallel
