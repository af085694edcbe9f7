#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/protocol/render_request.h"

namespace reelgrid::protocol {

/// Values at random for tests that write and read them: of numbers also the ends of their ranges, of texts
/// what is awkward in JSON. Equal seeds give equal values.
class RandomValues {
  public:
    explicit RandomValues(std::uint64_t seed) : m_engine(seed) {}

    bool coin() { return (m_engine() & 1) != 0; }
    std::uint64_t whole() { return m_engine() >> (m_engine() % 64); }
    int integer(int least, int most) { return std::uniform_int_distribution(least, most)(m_engine); }
    double number(double least, double most) {
        switch (integer(0, 3)) {
            case 0:
                return least;
            case 1:
                return most;
            default:
                return std::uniform_real_distribution(least, most)(m_engine);
        }
    }
    template <class T>
    const T& oneOf(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(integer(0, static_cast<int>(values.size()) - 1))];
    }
    std::string text(std::size_t maxBytes) {
        static const std::vector<std::string> kParts{
            "a", " ",  "\"",   "\\",   "\n",       "\t",      "\x7f",
            "é", "한", "🦊", "NaN",  "Infinity", "\\u0000", "a/b.safetensors:0.5",
            ",", ":",  "|",    "</s>", "{}"};
        std::string made;
        for (int parts = integer(0, 12); parts > 0; --parts) {
            const std::string& part = oneOf(kParts);
            if (made.size() + part.size() <= maxBytes) made += part;
        }
        // Now and then as long as it may be.
        if (integer(0, 40) == 0) made.resize(maxBytes, 'x');
        return made;
    }

    /// Of a field that a request's table describes.
    void fill(const RenderField& field, std::string& target) { target = text(field.maxBytes); }
    void fill(const RenderField& /*field*/, bool& target) { target = coin(); }
    void fill(const RenderField& /*field*/, std::uint64_t& target) { target = whole(); }
    void fill(const RenderField& field, int& target) {
        target = integer(static_cast<int>(std::max(field.range.least, -2147483648.0)),
                         static_cast<int>(std::min(field.range.most, 2147483647.0)));
    }
    void fill(const RenderField& field, double& target) {
        const double least = std::max(field.range.least, -1e300), most = std::min(field.range.most, 1e300);
        target = number(
            field.range.leastIs == ValueRange::LeastIs::TooLittle ? std::nextafter(least, most) : least,
            most);
    }
    void fill(const RenderField& field, std::vector<std::string>& target) {
        target.clear();
        for (int count = integer(0, 3); count > 0; --count) target.push_back(text(field.maxBytes));
    }
    void fill(const RenderField& /*field*/, AttentionPolicy& target) { target = policy(); }
    void fill(const RenderField& /*field*/, StepCache& target) {
        using Method = StepCache::Method;
        target = StepCache(number(0, 1));
        target.method = oneOf<Method>(
            {Method::FirstBlock, Method::TeaCache, Method::MagCache, Method::TaylorSeer, Method::Record});
        if (target.method == Method::TaylorSeer || target.method == Method::Record) target.threshold = 0;
        if (target.method == Method::TaylorSeer) target.interval = integer(1, 1000);
        if (target.method == Method::TaylorSeer) target.order = integer(0, 4);
        if (target.method == Method::MagCache) target.mostSkips = integer(1, 1000);
        if (target.method == Method::MagCache) target.wholeShare = number(0, 1);
        if (target.needsCurve())
            for (int count = integer(0, 5); count > 0; --count) target.curve.push_back(number(0.01, 9));
        if (!target.curve.empty() && coin()) target.curveModel = "a/b";
    }
    template <class T>
    void fill(const RenderField& field, std::optional<T>& target) {
        target.reset();
        if (coin()) fill(field, target.emplace());
    }

    AttentionPolicy policy() {
        AttentionPolicy made;
        for (int count = integer(0, 4); count > 0; --count) {
            AttentionRule& rule = made.rules.emplace_back();
            rule.backend = oneOf<std::string>({"sdpa", "fav2", "default", "mine-1"});
            rule.module = oneOf<std::optional<ModuleKind>>(
                {ModuleKind::Self, ModuleKind::Cross, ModuleKind::Joint, ModuleKind::Temporal, std::nullopt});
            if (coin()) rule.layers = range();
            if (coin()) rule.steps = range();
            if (coin()) rule.branch = coin() ? GuidanceBranch::Conditional : GuidanceBranch::Unconditional;
        }
        return made;
    }

    template <template <class> class Maybe>
    void fill(RenderFields<Maybe>& fields) {
        forEachRenderField([&](const RenderField& field, auto access) { fill(field, access(fields)); });
    }

    RenderRequest request() {
        RenderRequest made;
        fill(static_cast<RenderFields<std::optional>&>(made));
        made.model = text(4096);
        made.output = text(4096);
        made.resume = coin();
        return made;
    }

    std::map<std::string, std::string> names(std::size_t mostBytes) {
        std::map<std::string, std::string> made;
        for (int count = integer(0, 4); count > 0; --count) made[text(60)] = text(mostBytes);
        return made;
    }

  private:
    IndexRange range() {
        constexpr int kMost = 100'000;
        const int a = integer(0, kMost), b = integer(0, kMost);
        IndexRange made{std::min(a, b), std::max(a, b)};
        if (coin()) made = {-1 - made.last, -1 - made.first};
        if (made.first < -kMost) made.first = -kMost;
        if (made.last < made.first) made.last = made.first;
        return made;
    }

    std::mt19937_64 m_engine;
};

}  // namespace reelgrid::protocol
