#include "tests/hub/test_hub.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "core/base/pending_file.h"

namespace reelgrid::hub {

namespace fs = std::filesystem;

TestHub::TestHub() {
    static int count = 0;
    m_folder =
        fs::path(testing::TempDir()) / ("hub_" + std::to_string(getpid()) + "_" + std::to_string(++count));
    fs::create_directories(m_folder / "served");
    std::array<int, 2> in{}, out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) std::abort();
    const std::string script = std::string(REELGRID_SOURCE_DIR) + "/tests/hub/server.py";
    const std::string served = (m_folder / "served").string();
    m_process = fork();
    if (m_process == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execlp("python3", "python3", script.c_str(), served.c_str(), nullptr);
        _exit(1);
    }
    close(in[0]);
    close(out[1]);
    m_input = fdopen(in[1], "w");
    std::FILE* output = fdopen(out[0], "r");
    std::array<char, 16> line{};
    if (std::fgets(line.data(), line.size(), output) != nullptr)
        m_port = std::to_string(std::atoi(line.data()));
    std::fclose(output);
}

TestHub::~TestHub() {
    std::fclose(m_input);
    waitpid(m_process, nullptr, 0);
    fs::remove_all(m_folder);
}

void TestHub::addModel(const std::string& id) const {
    const fs::path model = m_folder / "served" / id;
    writeFile(model / "model_index.json", R"({"_class_name": "TestPipeline"})").value();
    writeFile(model / "README.md", "not needed").value();
    writeFile(model / "transformer/config.json", R"({"layers": 2})").value();
    writeFile(model / "tokenizer/tokenizer model.json", "{}").value();
    std::mt19937 random(7);
    for (const char* name :
         {"transformer/diffusion_pytorch_model-00001-of-00002.safetensors",
          "transformer/diffusion_pytorch_model-00002-of-00002.safetensors",
          "transformer/diffusion_pytorch_model.fp16.safetensors", "vae/model.safetensors"}) {
        std::string bytes(300'000, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        writeFile(model / name, bytes).value();
    }
}

std::string TestHub::contents(const std::string& id, const std::string& file) const {
    return readFile(m_folder / "served" / id / file).value();
}

HubAccess TestHub::access() const {
    return {.endpoint = "http://127.0.0.1:" + m_port, .token = "secret", .cache = m_folder / "cache"};
}

std::vector<nlohmann::json> TestHub::log() const {
    std::vector<nlohmann::json> lines;
    std::istringstream text(readFile(m_folder / "served" / "log").value());
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

Patience impatient() {
    return {.connect = std::chrono::seconds(5),
            .stall = std::chrono::seconds(1),
            .tries = 3,
            .pause = std::chrono::milliseconds(5)};
}

}  // namespace reelgrid::hub
