#include "core/hub/remote_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/pending_file.h"
#include "core/hub/partial_file.h"

namespace reelgrid::hub {
namespace {

using testing::HasSubstr;

const std::string kCommit(40, 'a'), kGit(40, '1'), kSha(64, '2');

std::string list(const std::string& siblings, const std::string& commit = kCommit) {
    return R"({"sha": ")" + commit + R"(", "siblings": [)" + siblings + "]}";
}

TEST(FileList, HasTheHashOfEachKindOfFile) {
    const auto files = fileListFrom(list(R"({"rfilename": "a/b.json", "size": 3, "blobId": ")" + kGit + R"("},
                {"rfilename": "c.safetensors", "size": 134, "blobId": ")" +
                                         kGit + R"(", "lfs": {"sha256": ")" + kSha + R"(", "size": 99}})"),
                                    "list");
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(files->commit, kCommit);
    EXPECT_EQ(files->files[0].hash, kGit);
    EXPECT_EQ(files->files[1].hash, kSha);
    EXPECT_EQ(files->files[1].size, 99U);
}

TEST(FileList, RefusesWhatItCannotBelieve) {
    const auto message = [](const std::string& text) {
        const auto files = fileListFrom(text, "list");
        return files ? "taken" : files.error().message;
    };
    EXPECT_THAT(message("[]"), HasSubstr("a JSON object was needed"));
    EXPECT_THAT(message(list("", "../main")), HasSubstr("40 hex digits"));
    EXPECT_THAT(message("{\"sha\": \"" + kCommit + "\"}"), HasSubstr("siblings"));
    EXPECT_THAT(message(list("3")), HasSubstr("no object"));
    for (const char* path : {"/etc/passwd", "../x", "a/../../x", "", "a\\\\b", "./x", "a//b/"})
        EXPECT_THAT(
            message(list(R"({"rfilename": ")" + std::string(path) + R"(", "blobId": ")" + kGit + "\"}")),
            HasSubstr("inside the repository"))
            << path;
    EXPECT_THAT(message(list(R"({"rfilename": "a", "blobId": "../../x"})")), HasSubstr("hex digits"));
    EXPECT_THAT(message(R"({"sha": 1, "siblings": []})"), HasSubstr("the commit is 1, 40 hex digits"));
    EXPECT_THAT(message(R"({"siblings": []})"), HasSubstr("the commit is missing, 40 hex digits"));
    EXPECT_THAT(message(list(R"({"rfilename": 5})")),
                HasSubstr("the rfilename of a file is 5, a path inside"));
    EXPECT_THAT(message(list(R"({"rfilename": "a", "blobId": true})")),
                HasSubstr("the hash of a is true, 40 or 64 hex digits"));
    EXPECT_THAT(message(list(R"({"rfilename": "a", "lfs": {"sha256": 2}})")),
                HasSubstr("the hash of a is 2, 40 or 64 hex digits"));
    std::string many = "{}";
    for (int i = 0; i < 100'000; ++i) many += ",{}";
    EXPECT_THAT(message(list(many)), HasSubstr("siblings has 100001 files, at most 100000 were needed"));
}

TEST(FileList, HasASizeOfEachFile) {
    const auto message = [](const std::string& more) {
        const auto files =
            fileListFrom(list(R"({"rfilename": "a", "blobId": ")" + kGit + "\"" + more + "}"), "list");
        return files ? std::to_string(files->files[0].size) : files.error().message;
    };
    EXPECT_EQ(message(R"(, "size": 0)"), "0");
    EXPECT_EQ(message(""), "list: the size of a is missing, a number of bytes was needed");
    EXPECT_EQ(message(R"(, "size": -1)"), "list: the size of a is -1, a number of bytes was needed");
    EXPECT_EQ(message(R"(, "size": "9")"), "list: the size of a is \"9\", a number of bytes was needed");
    EXPECT_EQ(message(R"(, "size": 1.5)"), "list: the size of a is 1.5, a number of bytes was needed");
    const std::string lfs = R"(, "lfs": {"sha256": ")" + kSha + "\"";
    EXPECT_EQ(message(R"(, "size": 7)" + lfs + "}"), "7") << "where lfs says none";
    EXPECT_EQ(message(lfs + R"(, "size": 8})"), "8");
    EXPECT_THAT(message(R"(, "size": 7)" + lfs + R"(, "size": -1})"), HasSubstr("the size of a is -1"));
    EXPECT_THAT(message(lfs + "}"), HasSubstr("the size of a is missing"));
}

TEST(FileList, CountsTheSameEntryOnceAndRefusesTwoOfOneName) {
    const auto entry = [](const std::string& hash) {
        return R"({"rfilename": "a", "size": 3, "blobId": ")" + hash + "\"}";
    };
    EXPECT_EQ(fileListFrom(list(entry(kGit) + "," + entry(kGit)), "list")->files.size(), 1U);
    const auto refused = fileListFrom(list(entry(kGit) + "," + entry(kCommit)), "list");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("list: a is there twice, with the hashes 111"));
}

TEST(HashOfFile, IsGitsForSmallFilesAndSha256ForLargeOnes) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("hashed_" + std::to_string(getpid()));
    writeFile(path, "hello\n").value();
    // git hash-object; sha256sum
    EXPECT_EQ(hashOfFile(path, kGit).value(), "ce013625030ba8dba906f756967f9e9ca394464a");
    EXPECT_EQ(hashOfFile(path, kSha).value(),
              "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
    std::filesystem::remove(path);
    EXPECT_FALSE(hashOfFile(path, kGit));
}

TEST(HashOfFile, AndADownloadWaitForNoPipe) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("pipe_" + std::to_string(getpid()));
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(hashOfFile(path, kGit).error().message, HasSubstr("not a regular file"));
    const auto lock = path.string() + ".lock";
    EXPECT_FALSE(PartialFile::open(path, lock)) << "nobody reads what would be written to it";
    std::filesystem::remove(path);
    std::filesystem::remove(lock);
}

}  // namespace
}  // namespace reelgrid::hub
