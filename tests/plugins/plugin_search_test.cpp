#include "core/plugins/plugin_search.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>

#include "tests/base/failing_readdir.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;

class PluginSearch : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "reelgrid-search-XXXXXX";
        m_folder = mkdtemp(name.data());
        for (const char* file : {"b.so", "a.so", "c.json", "notes.txt", "own/reelgrid/backends/mine.so"}) {
            fs::create_directories((m_folder / file).parent_path());
            std::ofstream(m_folder / file) << file;
        }
        setenv("XDG_DATA_HOME", (m_folder / "own").c_str(), 1);
        unsetenv("REELGRID_BACKEND_PATH");
    }
    void TearDown() override {
        fs::remove_all(m_folder);
        unsetenv("XDG_DATA_HOME");
    }

    std::vector<std::string> names(const std::vector<std::string>& given = {}) const {
        std::vector<std::string> found;
        std::vector<std::string> notes;
        for (const PluginFile& file : pluginFiles(given, notes))
            found.push_back(fs::relative(file.path, fs::canonical(m_folder)).string() +
                            (file.found == Found::Given ? " given" : ""));
        return found;
    }

    fs::path m_folder;
};

TEST_F(PluginSearch, FindsLibrariesAndRecipesOfFoldersInTheOrderOfTheirNames) {
    EXPECT_THAT(names(), testing::ElementsAre("own/reelgrid/backends/mine.so"));
    setenv("REELGRID_BACKEND_PATH", m_folder.c_str(), 1);
    EXPECT_THAT(names(), testing::ElementsAre("a.so", "b.so", "c.json", "own/reelgrid/backends/mine.so"));
}

TEST_F(PluginSearch, TakesFilesAndFoldersAndGivenOnesFirstAndEachOnce) {
    fs::create_symlink(m_folder / "b.so", m_folder / "own" / "link.so");
    setenv("REELGRID_BACKEND_PATH", (":" + (m_folder / "b.so").string() + ":/nowhere").c_str(), 1);
    EXPECT_THAT(
        names({(m_folder / "own" / "link.so").string()}),
        testing::ElementsAre("b.so given", testing::EndsWith("nowhere"), "own/reelgrid/backends/mine.so"));
}

TEST_F(PluginSearch, AFolderThatCannotBeLookedThroughIsTold) {
    std::vector<std::string> notes;
    const fs::path own = m_folder / "own/reelgrid/backends";
    fs::remove_all(own);
    EXPECT_TRUE(pluginFiles({}, notes).empty());
    EXPECT_THAT(notes, testing::IsEmpty()) << "nobody has to have one";
    std::ofstream(own) << "a file in its place";
    setenv("REELGRID_BACKEND_PATH", m_folder.c_str(), 1);
    EXPECT_FALSE(pluginFiles({}, notes).empty()) << "those of the other folder";
    EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("backends: Not a directory")));
    const FailingReaddir failing(3);
    notes.clear();
    pluginFiles({}, notes);
    EXPECT_THAT(notes, testing::Contains(m_folder.string() + ": Input/output error"));
}

}  // namespace
}  // namespace reelgrid::plugins
