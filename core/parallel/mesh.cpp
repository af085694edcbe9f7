#include "core/parallel/mesh.h"

#include <string>

#include "core/base/result.h"
#include "core/parallel/rank_group.h"
#include "core/parallel/shared_heads.h"

namespace reelgrid::parallel {
namespace {

struct Coordinates {
    int cfg, ring, ulysses;
};

Coordinates coordinatesOf(int rank, const Degrees& degrees) {
    return {rank / degrees.tokens(), rank / degrees.ulysses % degrees.ring, rank % degrees.ulysses};
}

/// Ranks that `belongs` with this one, in their order.
template <class Belongs>
std::vector<int> those(const Degrees& degrees, const Belongs& belongs) {
    std::vector<int> members;
    for (int rank = 0; rank < degrees.ranks(); ++rank)
        if (belongs(coordinatesOf(rank, degrees))) members.push_back(rank);
    return members;
}

/// Unique among the communicators of all meshes: "cfg1 ring2 ulysses2 ring 0 1".
std::string nameOf(const Degrees& degrees, const char* which, int first, int second) {
    return degrees.text() + " " + which + " " + std::to_string(first) + " " + std::to_string(second);
}

}  // namespace

Mesh::Mesh(RankGroup& group, const Degrees& degrees)
    : m_group(group),
      m_degrees(degrees),
      m_ulysses(group,
                nameOf(degrees, "ulysses", coordinatesOf(group.rank(), degrees).cfg,
                       coordinatesOf(group.rank(), degrees).ring),
                those(degrees,
                      [mine = coordinatesOf(group.rank(), degrees)](const Coordinates& other) {
                          return other.cfg == mine.cfg && other.ring == mine.ring;
                      })),
      m_ring(group,
             nameOf(degrees, "ring", coordinatesOf(group.rank(), degrees).cfg,
                    coordinatesOf(group.rank(), degrees).ulysses),
             those(degrees,
                   [mine = coordinatesOf(group.rank(), degrees)](const Coordinates& other) {
                       return other.cfg == mine.cfg && other.ulysses == mine.ulysses;
                   })),
      m_tokens(group, nameOf(degrees, "tokens", coordinatesOf(group.rank(), degrees).cfg, 0),
               those(degrees, [mine = coordinatesOf(group.rank(), degrees)](
                                  const Coordinates& other) { return other.cfg == mine.cfg; })),
      m_branches(group,
                 nameOf(degrees, "branches", coordinatesOf(group.rank(), degrees).ring,
                        coordinatesOf(group.rank(), degrees).ulysses),
                 those(degrees, [mine = coordinatesOf(group.rank(), degrees)](const Coordinates& other) {
                     return other.ring == mine.ring && other.ulysses == mine.ulysses;
                 })) {}

Communicator& Mesh::weights() {
    if (!m_weights)
        m_weights = std::make_unique<Communicator>(m_group, nameOf(m_degrees, "weights", 0, 0),
                                                   those(m_degrees, [](const Coordinates&) { return true; }));
    return *m_weights;
}

void Mesh::requireHeads(std::int64_t heads) const {
    requireDivisor(m_degrees.ulysses, heads);
}

}  // namespace reelgrid::parallel
