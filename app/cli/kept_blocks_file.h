#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/capture/kept_blocks.h"
#include "core/media/image.h"

namespace reelgrid::cli {

/// What a file of a map holds, by its ending: the JSON document, the pairs of blocks as lines, or the map as
/// a picture.
enum class MapFileKind { Json, Csv, Png };

/// BadUsage for other endings.
Result<MapFileKind> mapFileKindOf(const std::filesystem::path& path);

/// A map as a picture: a line of squares a block of queries, the first on top. A kept block has the colour of
/// what it holds of the queries' weight, from dark to light in powers of ten down to a hundred thousandth of
/// the largest; one that is left out is grey. As wide as it is tall where there are as many keys as queries.
media::RgbImage pictureOf(const capture::KeptBlocks& blocks);

}  // namespace reelgrid::cli
