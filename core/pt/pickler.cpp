#include "core/pt/pickler.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/result.h"
#include "core/pt/element_names.h"
#include "core/pt/pickle_opcodes.h"
#include "core/pt/tensor_check.h"

namespace reelgrid::pt {
namespace {

class Pickler {
  public:
    Pickled run(const Value& value) {
        put(Opcode::Proto).put(std::uint8_t{2});
        std::visit([this](const auto& held) { save(held); }, variantOf(value));
        put(Opcode::Stop);
        return std::move(m_made);
    }

  private:
    template <class T>
    Pickler& put(T raw) {
        char bytes[sizeof raw];
        std::memcpy(bytes, &raw, sizeof raw);
        m_made.pickle.append(bytes, sizeof raw);
        return *this;
    }
    Pickler& global(const std::string& module, const std::string& name) {
        put(Opcode::Global);
        m_made.pickle += module + "\n" + name + "\n";
        return *this;
    }
    static const Value::variant& variantOf(const Value& value) { return value; }
    void save(const Value& value) {
        std::visit([this](const auto& held) { save(held); }, variantOf(value));
    }

    void save(std::monostate) { put(Opcode::None); }
    void save(bool value) { put(value ? Opcode::NewTrue : Opcode::NewFalse); }
    void save(std::int64_t value) {
        using Small = std::numeric_limits<std::int32_t>;
        if (value >= Small::min() && value <= Small::max())
            put(Opcode::BinInt).put(std::int32_t(value));
        else
            put(Opcode::Long1).put(std::uint8_t{sizeof value}).put(value);
    }
    void save(double value) {
        std::string digits(sizeof value, '\0');
        std::memcpy(digits.data(), &value, sizeof value);
        std::ranges::reverse(digits);  // the only number that is big-endian
        put(Opcode::BinFloat);
        m_made.pickle += digits;
    }
    void save(const std::string& text) {
        put(Opcode::BinUnicode).put(std::uint32_t(text.size()));
        m_made.pickle += text;
    }
    void save(ElementType type) { global("torch", elementNameOf(type).dtype); }
    void save(const Size& size) {
        global("torch", "Size");
        saveTuple(size.sizes);
        put(Opcode::Tuple1).put(Opcode::Reduce);
    }
    void save(const List& list) {
        put(Opcode::EmptyList).put(Opcode::Mark);
        for (const Value& item : list.items) save(item);
        put(Opcode::Appends);
    }
    void save(const Tuple& tuple) { saveTuple(tuple.items); }
    void save(const Dict& dict) {
        put(Opcode::EmptyDict).put(Opcode::Mark);
        for (const Entry& entry : dict.entries) {
            save(entry.key);
            save(entry.value);
        }
        put(Opcode::SetItems);
    }
    /// _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, backward_hooks)
    void save(const Tensor& tensor) {
        const std::int64_t elements =
            std::int64_t(tensor.storage->bytes.size() / safetensors::bytesOf(tensor.type));
        checkWithin(tensor, elements);
        global("torch._utils", "_rebuild_tensor_v2").put(Opcode::Mark);
        saveStorage(tensor, elements);
        save(tensor.offset);
        saveTuple(tensor.sizes);
        saveTuple(tensor.strides);
        save(false);
        global("collections", "OrderedDict").put(Opcode::EmptyTuple).put(Opcode::Reduce);
        put(Opcode::Tuple).put(Opcode::Reduce);
    }

    template <class T>
    void saveTuple(const std::vector<T>& items) {
        if (items.empty()) {
            put(Opcode::EmptyTuple);
            return;
        }
        put(Opcode::Mark);
        for (const T& item : items) save(item);
        put(Opcode::Tuple);
    }
    void saveStorage(const Tensor& tensor, std::int64_t elements) {
        const ElementName& name = elementNameOf(tensor.type);
        if (name.storageClass == nullptr)
            throw Failure(ErrorCode::Unsupported, std::string("a tensor of torch.") + name.dtype +
                                                      ": one of a type with a storage class was needed");
        put(Opcode::Mark);
        save(std::string("storage"));
        global("torch", name.storageClass);
        save(std::to_string(keyOf(tensor.storage)));
        save(std::string("cpu"));
        save(elements);
        put(Opcode::Tuple).put(Opcode::BinPersId);
    }
    std::size_t keyOf(const std::shared_ptr<const Storage>& storage) {
        const auto found = std::ranges::find(m_made.storages, storage);
        if (found == m_made.storages.end()) {
            m_made.storages.push_back(storage);
            return m_made.storages.size() - 1;
        }
        return std::size_t(found - m_made.storages.begin());
    }

    Pickled m_made;
};

}  // namespace

Pickled pickled(const Value& value) {
    return Pickler().run(value);
}

}  // namespace reelgrid::pt
