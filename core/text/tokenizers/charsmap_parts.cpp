#include "core/text/tokenizers/charsmap_parts.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/result.h"

namespace reelgrid::text {
namespace {

/// A node's children lie in one block of a unit for each byte. Published tries have some 180 blocks.
constexpr std::size_t kBlockBytes = 256 * sizeof(std::uint32_t), kMaxTrieBytes = std::size_t{16} << 20;
constexpr unsigned kMaxRulesOfAText = 32;
/// The longest that NFKC has is 33.
constexpr std::size_t kMaxReplacementBytes = 256;

/// The nodes that can be reached, each by its place: that of the unit which a child of letter 0 would have.
class CharsmapWalk {
  public:
    CharsmapWalk(const CharsmapParts& parts, const std::string& origin)
        : m_trie(parts.trie), m_replacements(parts.replacements), m_origin(origin) {
        // A unit's letter says which node it would be a child of.
        m_firstChild.assign(m_trie.size(), kNone);
        m_nextChild.assign(m_trie.size(), kNone);
        for (std::uint32_t unit = 0; unit < m_trie.size(); ++unit) {
            const std::uint32_t label = labelOf(m_trie[unit]);
            if (label > 0xFF) continue;
            m_nextChild[unit] = m_firstChild[unit ^ label];
            m_firstChild[unit ^ label] = unit;
        }
    }

    void requireSound() {
        const std::uint32_t root = offsetOf(m_trie[0]);
        requireWithin(root);
        const std::size_t nodes = reach(root);
        if (inOrder(root) != nodes) damaged("a way through its trie comes back to itself");
    }

  private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    template <class See>
    void eachChild(std::uint32_t node, const See& see) const {
        for (std::uint32_t unit = m_firstChild[node]; unit != kNone; unit = m_nextChild[unit])
            see(unit ^ offsetOf(m_trie[unit]), hasLeaf(m_trie[unit]));
    }

    /// How many nodes there are; counts the ways to each (several: darts-clone shares equal ends).
    std::size_t reach(std::uint32_t root) {
        m_ways.assign(m_trie.size(), 0);
        std::vector<std::uint32_t> nodes{root};
        for (std::size_t i = 0; i < nodes.size(); ++i)
            eachChild(nodes[i], [&](std::uint32_t child, bool isRule) {
                requireWithin(child);
                if (isRule) requireReplacement(leafOf(m_trie[child]));
                if (m_ways[child]++ == 0 && child != root) nodes.push_back(child);
            });
        return nodes.size();
    }

    /// How many nodes come after all that lead to them: fewer than there are where some lead round.
    std::size_t inOrder(std::uint32_t root) {
        std::vector<unsigned> rules(m_trie.size(), 0);
        std::vector<std::uint32_t> nodes;
        if (m_ways[root] == 0) nodes.push_back(root);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            eachChild(nodes[i], [&](std::uint32_t child, bool isRule) {
                rules[child] = std::max(rules[child], rules[nodes[i]] + (isRule ? 1 : 0));
                if (rules[child] > kMaxRulesOfAText)
                    damaged("more than " + std::to_string(kMaxRulesOfAText) +
                            " of its rules match the start of one text");
                if (--m_ways[child] == 0) nodes.push_back(child);
            });
        return nodes.size();
    }

    void requireWithin(std::uint32_t node) const {
        if (node >= m_trie.size())
            damaged("its trie leads to unit " + std::to_string(node) + " of " +
                    std::to_string(m_trie.size()));
    }
    void requireReplacement(std::uint32_t at) const {
        if (at >= m_replacements.size())
            damaged("a rule's replacement lies at byte " + std::to_string(at) + " of " +
                    std::to_string(m_replacements.size()));
        if (m_replacements.substr(at, kMaxReplacementBytes + 1).find('\0') == std::string_view::npos)
            damaged("the replacement at byte " + std::to_string(at) + " isn't ended by a zero byte after " +
                    std::to_string(kMaxReplacementBytes) + " bytes at most");
    }
    [[noreturn]] void damaged(const std::string& how) const {
        throw Failure(ErrorCode::InvalidData, m_origin + ": precompiled_charsmap is damaged: " + how);
    }

    const std::vector<std::uint32_t>& m_trie;
    std::string_view m_replacements;
    const std::string& m_origin;
    std::vector<std::uint32_t> m_firstChild, m_nextChild, m_ways;
};

}  // namespace

CharsmapParts charsmapParts(std::string_view bytes, const std::string& origin) {
    std::uint32_t trieBytes = 0;
    const std::size_t rest = bytes.size() - std::min(bytes.size(), sizeof trieBytes);
    if (bytes.size() >= sizeof trieBytes) std::memcpy(&trieBytes, bytes.data(), sizeof trieBytes);
    if (trieBytes == 0 || trieBytes % kBlockBytes != 0 || trieBytes > std::min(rest, kMaxTrieBytes))
        throw Failure(ErrorCode::InvalidData,
                      origin + ": precompiled_charsmap is damaged: its trie has " +
                          std::to_string(trieBytes) + " bytes of " + std::to_string(rest) +
                          ", a multiple of " + std::to_string(kBlockBytes) + " up to " +
                          std::to_string(kMaxTrieBytes) + " was needed, and its replacements behind them");
    CharsmapParts parts{.trie = std::vector<std::uint32_t>(trieBytes / sizeof(std::uint32_t)),
                        .replacements = bytes.substr(sizeof trieBytes + trieBytes)};
    std::memcpy(parts.trie.data(), bytes.data() + sizeof trieBytes, trieBytes);
    CharsmapWalk(parts, origin).requireSound();
    return parts;
}

}  // namespace reelgrid::text
