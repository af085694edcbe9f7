#include "core/weights/parameter_check.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/weights/scalar_type.h"
#include "core/weights/shape_check.h"

namespace reelgrid::weights {

namespace {

/// Parameters are floating-point numbers, but for those that are stored in blocks of integers.
void requireFittingType(const WeightFile& file, const std::string& name) {
    if (!file.typeOf) return;
    const auto require = name.ends_with(".int8_weight") ? requireInt8 : requireFloatingPoint;
    require(file.typeOf(name), file.weights->whereIs(name));
}

}  // namespace

class ParameterCheck::Source final : public WeightSource {
  public:
    Source(ParameterCheck& check, std::shared_ptr<Opened> opened)
        : m_check(check), m_opened(std::move(opened)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        return m_check.take(*m_opened, name, shape);
    }
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_opened->file.weights->has(name);
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_opened->file.weights->whereIs(name);
    }

  private:
    ParameterCheck& m_check;
    std::shared_ptr<Opened> m_opened;
};

at::Tensor ParameterCheck::take(Opened& from, const std::string& name, at::IntArrayRef shape) {
    ++m_tensors;
    from.taken.insert(name);
    try {
        const auto stored = from.file.shapeOf(name);
        if (!stored) throwMissing(from.where, name, shape);
        requireShape(from.where, name, *stored, shape);
        requireFittingType(from.file, name);
    } catch (const Failure& failure) {
        m_faults.push_back(failure.error().message);
    }
    return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

OpenWeights ParameterCheck::open() {
    return [this](const std::filesystem::path& path) {
        auto opened = std::make_shared<Opened>(Opened{openWeights(path), path.string()});
        m_opened.push_back(opened);
        return WeightFile{std::make_unique<Source>(*this, opened), opened->file.shapeOf, opened->file.names,
                          opened->file.typeOf, opened->file.files};
    };
}

std::vector<ParameterCheck::Untaken> ParameterCheck::untaken() const {
    std::vector<Untaken> files;
    for (const auto& opened : m_opened)
        if (std::ranges::find(files, opened->where, &Untaken::file) == files.end())
            files.push_back({.file = opened->where, .tensors = opened->file.names});
    for (Untaken& file : files)
        for (const auto& opened : m_opened)
            if (opened->where == file.file)
                std::erase_if(file.tensors,
                              [&](const std::string& name) { return opened->taken.contains(name); });
    std::erase_if(files, [](const Untaken& file) { return file.tensors.empty(); });
    return files;
}

}  // namespace reelgrid::weights
