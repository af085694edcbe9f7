#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::widgets {

/// The words that the built-in model was trained on, and prompts it does well with. An empty one guides
/// nobody.
class PromptGuide {
  public:
    struct Group {
        QString title;
        QStringList words;  ///< or phrases: "fire truck", "on a beach"
    };

    /// {"words": {"objects": […], "backgrounds": […], "motions": […], "colours": […]}, "suggestions": […]}.
    /// NotFound or Io when the file can't be read, InvalidData names what in it is wrong.
    static Result<PromptGuide> read(const std::filesystem::path& file);
    static Result<PromptGuide> parse(std::string_view json, const std::string& what);

    [[nodiscard]] bool isEmpty() const { return m_groups.empty(); }
    [[nodiscard]] const std::vector<Group>& groups() const { return m_groups; }
    [[nodiscard]] const QStringList& suggestions() const { return m_suggestions; }

    /// Whether the prompt has one of the objects as whole words, in singular or plural, upper or lower case.
    /// An object that is only part of a known background ("among the trees") doesn't count.
    [[nodiscard]] bool namesKnownObject(const QString& prompt) const;

  private:
    std::vector<Group> m_groups;
    std::vector<QStringList> m_objects;  // each split into words
    std::vector<QStringList> m_backgrounds;
    QStringList m_suggestions;
};

}  // namespace reelgrid::widgets
