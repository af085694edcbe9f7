#include "core/pt/unpickler.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/base/result.h"
#include "core/pt/pickle_objects.h"
#include "core/pt/pickle_opcodes.h"
#include "core/pt/refuse.h"

namespace reelgrid::pt {
namespace {

constexpr int kMaxProtocol = 5;
/// Of objects, of the stack and of the memo.
constexpr std::size_t kMaxObjects = std::size_t{1} << 21;
/// Of a storage: more than any disk holds.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 50;

class Unpickler {
  public:
    Unpickler(std::string_view pickle, const StorageByKey& storages)
        : m_pickle(pickle), m_storages(storages) {}

    [[nodiscard]] std::size_t taken() const { return m_at; }

    Value run() {
        while (true) {
            const auto code = number<std::uint8_t>();
            if (code == std::uint8_t(Opcode::Stop)) return wholeValue(pop(), m_objects);
            step(code);
        }
    }

  private:
    void step(std::uint8_t code);
    /// The opcodes that push a number, text or nothing; false for another one.
    bool pushPlain(Opcode code);
    /// Those that make, fill and keep containers.
    bool fillContainer(Opcode code);
    bool useMemo(Opcode code);

    // ── the bytes ──
    std::string_view bytes(std::size_t count) {
        if (count > m_pickle.size() - m_at)
            refuse("its pickle ends at byte " + std::to_string(m_pickle.size()) + ", where " +
                   std::to_string(count) + " bytes more were needed");
        m_at += count;
        return m_pickle.substr(m_at - count, count);
    }
    template <class T>
    T number() {
        T value = 0;
        std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
        return value;
    }
    std::string line() {
        const std::size_t end = m_pickle.find('\n', m_at);
        if (end == m_pickle.npos) refuse("its pickle ends within a name");
        const std::string_view withEnd = bytes(end + 1 - m_at);
        return std::string(withEnd.substr(0, withEnd.size() - 1));
    }
    std::int64_t longInteger() {
        const auto length = number<std::uint8_t>();
        if (length > sizeof(std::int64_t))
            refuse("a whole number of " + std::to_string(length) + " bytes: at most 8 were needed");
        const std::string_view digits = bytes(length);
        const bool negative = length > 0 && (std::uint8_t(digits.back()) & 0x80) != 0;
        std::int64_t value = negative ? -1 : 0;
        std::memcpy(&value, digits.data(), length);
        return value;
    }
    double bigEndianFloat() {
        std::string digits(bytes(sizeof(double)));
        std::ranges::reverse(digits);
        double value = 0;
        std::memcpy(&value, digits.data(), sizeof value);
        return value;
    }

    // ── the stack ──
    void push(ObjectId id) {
        if (m_stack.size() >= kMaxObjects)
            refuse("it holds more than " + std::to_string(kMaxObjects) + " items");
        m_stack.push_back(id);
    }
    void push(PickleObject object) {
        if (m_objects.size() >= kMaxObjects)
            refuse("it holds more than " + std::to_string(kMaxObjects) + " items");
        m_objects.push_back(std::move(object));
        push(ObjectId(m_objects.size() - 1));
    }
    [[nodiscard]] std::size_t floor() const { return m_marks.empty() ? 0 : m_marks.back(); }
    ObjectId pop() {
        if (m_stack.size() <= floor()) refuse("its pickle takes from an empty stack");
        const ObjectId id = m_stack.back();
        m_stack.pop_back();
        return id;
    }
    std::vector<ObjectId> pop(std::size_t count) {
        if (m_stack.size() - floor() < count) refuse("its pickle takes from an empty stack");
        const std::vector<ObjectId> taken(m_stack.end() - std::ptrdiff_t(count), m_stack.end());
        m_stack.resize(m_stack.size() - count);
        return taken;
    }
    std::vector<ObjectId> popToMark() {
        if (m_marks.empty()) refuse("its pickle looks for a mark that isn't there");
        auto taken = pop(m_stack.size() - m_marks.back());
        m_marks.pop_back();
        return taken;
    }
    template <class T>
    T& top(const char* needed) {
        if (m_stack.size() <= floor()) refuse("its pickle takes from an empty stack");
        auto* found = std::get_if<T>(&m_objects[m_stack.back()]);
        if (found == nullptr) refuse(std::string("its pickle fills something that is not ") + needed);
        return *found;
    }
    const std::string& text(ObjectId id, const char* what) const {
        const auto* value = std::get_if<Value>(&m_objects[id]);
        const auto* found = value == nullptr ? nullptr : value->as<std::string>();
        if (found == nullptr) refuse(std::string(what) + " is not a text");
        return *found;
    }

    // ── what torch.save adds ──
    void remember(std::size_t key) {
        if (m_stack.empty()) refuse("its pickle takes from an empty stack");
        if (m_memo.size() >= kMaxObjects) refuse("its pickle remembers too much");
        m_memo[key] = m_stack.back();
    }
    void recall(std::size_t key) {
        const auto found = m_memo.find(key);
        if (found == m_memo.end()) refuse("its pickle recalls what it never stored");
        push(found->second);
    }
    void reduce() {
        const ObjectId arguments = pop(), callable = pop();
        const auto* which = std::get_if<Callable>(&m_objects[callable]);
        const auto* tuple = std::get_if<TupleObject>(&m_objects[arguments]);
        if (which == nullptr || tuple == nullptr) refuse("its pickle calls something that can't be called");
        push(called(*which, *tuple, m_objects));
    }
    /// State on top of a dict or a tensor: attributes of Python's objects, which are no data.
    void build() {
        pop();
        if (m_stack.size() <= floor()) refuse("its pickle takes from an empty stack");
        const PickleObject& object = m_objects[m_stack.back()];
        const auto* value = std::get_if<Value>(&object);
        if (!std::holds_alternative<DictObject>(object) && !std::holds_alternative<RefusedTensor>(object) &&
            (value == nullptr || value->as<Tensor>() == nullptr))
            refuse("its pickle sets the state of an object that is neither a dict nor a tensor");
    }
    /// ('storage', class, key, device, elements), and None in files of before PyTorch 1.6
    void persistent() {
        const ObjectId id = pop();
        const auto* tuple = std::get_if<TupleObject>(&m_objects[id]);
        if (tuple == nullptr || tuple->items.size() < 5 || tuple->items.size() > 6 ||
            text(tuple->items[0], "a persistent id's kind") != "storage")
            refuse("a persistent id that is not a storage's");
        const auto* type = std::get_if<StorageClass>(&m_objects[tuple->items[1]]);
        const auto* count = std::get_if<Value>(&m_objects[tuple->items[4]]);
        const auto* elements = count == nullptr ? nullptr : count->as<std::int64_t>();
        if (type == nullptr || elements == nullptr) refuse("a storage without class or size");
        const std::string& key = text(tuple->items[2], "a storage's key");
        const auto* view =
            tuple->items.size() == 6 ? std::get_if<Value>(&m_objects[tuple->items[5]]) : nullptr;
        if (tuple->items.size() == 6 && (view == nullptr || view->as<std::monostate>() == nullptr))
            refuse("storage " + shownName(key) + " is a part of another one, a whole one was needed");
        const std::uint64_t wanted =
            std::min(std::uint64_t(std::max<std::int64_t>(*elements, 0)), kMostElements);
        auto storage = m_storages(key, wanted * safetensors::bytesOf(type->type));
        const std::uint64_t room = storage->bytes.size() / safetensors::bytesOf(type->type);
        if (*elements < 0 || std::uint64_t(*elements) > room)
            refuse("storage " + shownName(key) + " has " + std::to_string(storage->bytes.size()) +
                   " bytes, " + std::to_string(*elements) + " elements of " +
                   std::to_string(safetensors::bytesOf(type->type)) + " bytes were needed");
        const ElementType first = m_storageTypes.try_emplace(key, type->type).first->second;
        push(PickleObject(StorageReference{std::move(storage), type->type, *elements, key,
                                           first == type->type ? std::nullopt : std::optional(first)}));
    }

    std::string_view m_pickle;
    const StorageByKey& m_storages;
    std::size_t m_at = 0;
    PickleObjects m_objects;
    std::vector<ObjectId> m_stack;
    std::vector<std::size_t> m_marks;  ///< heights of the stack
    std::unordered_map<std::size_t, ObjectId> m_memo;
    std::unordered_map<std::string, ElementType> m_storageTypes;  ///< by the first reference to each
};

bool Unpickler::pushPlain(Opcode code) {
    switch (code) {
        case Opcode::None:
            push(PickleObject(Value()));
            return true;
        case Opcode::NewTrue:
            push(PickleObject(Value(true)));
            return true;
        case Opcode::NewFalse:
            push(PickleObject(Value(false)));
            return true;
        case Opcode::BinInt:
            push(PickleObject(Value(std::int64_t{number<std::int32_t>()})));
            return true;
        case Opcode::BinInt1:
            push(PickleObject(Value(std::int64_t{number<std::uint8_t>()})));
            return true;
        case Opcode::BinInt2:
            push(PickleObject(Value(std::int64_t{number<std::uint16_t>()})));
            return true;
        case Opcode::Long1:
            push(PickleObject(Value(longInteger())));
            return true;
        case Opcode::BinFloat:
            push(PickleObject(Value(bigEndianFloat())));
            return true;
        case Opcode::BinUnicode:
        case Opcode::BinString:
            push(PickleObject(Value(std::string(bytes(number<std::uint32_t>())))));
            return true;
        case Opcode::ShortBinUnicode:
        case Opcode::ShortBinString:
            push(PickleObject(Value(std::string(bytes(number<std::uint8_t>())))));
            return true;
        default:
            return false;
    }
}

bool Unpickler::fillContainer(Opcode code) {
    const auto addAll = [](std::vector<ObjectId>& to, const std::vector<ObjectId>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    const auto addPairs = [&](const std::vector<ObjectId>& items) {
        if (items.size() % 2 != 0) refuse("its pickle has a key without a value");
        addAll(top<DictObject>("a dict").keysAndValues, items);
    };
    switch (code) {
        case Opcode::EmptyList:
            push(PickleObject(ListObject{}));
            return true;
        case Opcode::EmptyDict:
            push(PickleObject(DictObject{}));
            return true;
        case Opcode::EmptyTuple:
            push(PickleObject(TupleObject{}));
            return true;
        case Opcode::Tuple:
            push(PickleObject(TupleObject{popToMark()}));
            return true;
        case Opcode::Tuple1:
            push(PickleObject(TupleObject{pop(1)}));
            return true;
        case Opcode::Tuple2:
            push(PickleObject(TupleObject{pop(2)}));
            return true;
        case Opcode::Tuple3:
            push(PickleObject(TupleObject{pop(3)}));
            return true;
        case Opcode::Append: {
            const auto item = pop(1);
            addAll(top<ListObject>("a list").items, item);
            return true;
        }
        case Opcode::Appends: {
            const auto items = popToMark();
            addAll(top<ListObject>("a list").items, items);
            return true;
        }
        case Opcode::SetItem:
            addPairs(pop(2));
            return true;
        case Opcode::SetItems:
            addPairs(popToMark());
            return true;
        default:
            return false;
    }
}

bool Unpickler::useMemo(Opcode code) {
    switch (code) {
        case Opcode::BinPut:
            remember(number<std::uint8_t>());
            return true;
        case Opcode::LongBinPut:
            remember(number<std::uint32_t>());
            return true;
        case Opcode::Memoize:
            remember(m_memo.size());
            return true;
        case Opcode::BinGet:
            recall(number<std::uint8_t>());
            return true;
        case Opcode::LongBinGet:
            recall(number<std::uint32_t>());
            return true;
        default:
            return false;
    }
}

void Unpickler::step(std::uint8_t byte) {
    const auto code = Opcode(byte);
    if (pushPlain(code) || fillContainer(code) || useMemo(code)) return;
    switch (code) {
        case Opcode::Proto:
            if (const int protocol = number<std::uint8_t>(); protocol > kMaxProtocol)
                refuse("pickle protocol " + std::to_string(protocol) + ": at most 5 was needed");
            return;
        case Opcode::Frame:
            number<std::uint64_t>();
            return;
        case Opcode::Mark:
            if (m_marks.size() >= kMaxObjects) refuse("its pickle has too many marks");
            m_marks.push_back(m_stack.size());
            return;
        case Opcode::Pop:
            pop();
            return;
        case Opcode::Global: {
            const std::string module = line();
            push(globalNamed(module, line()));
            return;
        }
        case Opcode::StackGlobal: {
            const ObjectId name = pop(), module = pop();
            push(globalNamed(text(module, "a module"), text(name, "a name")));
            return;
        }
        case Opcode::Reduce:
            reduce();
            return;
        case Opcode::Build:
            build();
            return;
        case Opcode::BinPersId:
            persistent();
            return;
        default:
            refuse("its pickle has opcode " + std::to_string(byte) + " at byte " + std::to_string(m_at - 1) +
                   ", which plain data don't need");
    }
}

}  // namespace

Value unpickled(std::string_view pickle, const StorageByKey& storages, std::size_t* taken) {
    Unpickler unpickler(pickle, storages);
    Value value = unpickler.run();
    if (taken != nullptr) *taken = unpickler.taken();
    return value;
}

}  // namespace reelgrid::pt
