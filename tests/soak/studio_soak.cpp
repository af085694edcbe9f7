// One window session that renders many small clips: what the window and its worker hold on the way.
//
//     xvfb-run -a build/release/bin/reelgrid_studio_soak build/release/bin/reelgrid-cli [JOBS [KILLS [SEED]]]
//
// JOBS (1000) are rendered four at a time, a comparison each, with the demo model. KILLS (20) of these
// comparisons lose their worker at a random moment and are taken up again. Exits 1 where a clip is missing,
// or where memory, threads or descriptors grew by more than 5 % between the second tenth and the last.

#include <unistd.h>

#include <QApplication>
#include <QTemporaryDir>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "app/studio/main_window.h"
#include "tests/benchmarks/nine_clips.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/request_editor.h"
#include "widgets/theme/theme.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;
using benchmarks::memoryOf;
using benchmarks::statusOf;

constexpr int kClips = 4;
constexpr int kReadyMilliseconds = 30000, kRenderMilliseconds = 300000;

/// What a process holds.
struct Held {
    double memory = 0;  // resident, megabytes
    double threads = 0, descriptors = 0;
};

Held heldBy(const std::string& process) {
    Held held{memoryOf(process, "VmRSS:"), statusOf(process, "Threads:"), 0};
    std::error_code gone;
    for (fs::directory_iterator file("/proc/" + process + "/fd", gone), end; !gone && file != end;
         file.increment(gone))
        ++held.descriptors;
    return held;
}

/// The newest process that this one has started, as the name of its folder in /proc; empty where there is
/// none.
std::string newestChild() {
    int newest = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const int id = std::atoi(entry.path().filename().c_str());
        if (id > newest && int(statusOf(std::to_string(id), "PPid:")) == getpid()) newest = id;
    }
    return newest == 0 ? std::string() : std::to_string(newest);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Prints what a process held early and late; false where it grew.
bool isFlat(const char* who, const std::vector<Held>& seen) {
    const auto tenth = std::max<std::ptrdiff_t>(1, std::ptrdiff_t(seen.size()) / 10);
    bool flat = true;
    const std::pair<const char*, double Held::*> kKinds[] = {
        {"MB resident", &Held::memory}, {"threads", &Held::threads}, {"descriptors", &Held::descriptors}};
    for (const auto& [what, member] : kKinds) {
        const auto of = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
            std::vector<double> values;
            for (auto i = from; i < to; ++i) values.push_back(seen[std::size_t(i)].*member);
            return median(values);
        };
        const auto all = std::ptrdiff_t(seen.size());
        const double early = of(std::min(tenth, all - 1), std::min(2 * tenth, all)),
                     late = of(all - tenth, all);
        const bool grew = late > 1.05 * early;
        std::printf("%s: %.1f %s after a tenth, %.1f at the end (%+.1f %%)%s\n", who, early, what, late,
                    100 * (late / early - 1), grew ? ": GREW" : "");
        flat = flat && !grew;
    }
    return flat;
}

class Soak {
  public:
    Soak(const fs::path& program, const fs::path& folder, unsigned seed) : m_chance(seed) {
        m_window.renders().setResultsFolder(folder / "results");
        m_window.renders().jobs().setWorker({program, {"worker"}});
        m_window.resize(1200, 800);
        m_window.show();
    }

    [[nodiscard]] QString problem() { return m_window.editor().problem(); }
    bool isReady() {
        return waitUntil([&] { return problem().isEmpty(); }, kReadyMilliseconds);
    }

    /// A comparison of four clips; `kill` takes its worker away while it renders. False: not all came.
    bool compare(int number, bool kill) {
        protocol::RenderRequest request = m_window.editor().request();
        request.model = "demo";
        request.prompt = "a red car, number " + std::to_string(number);
        request.width = request.height = 64;
        request.numFrames = 5;
        request.numInferenceSteps = 2;
        request.seed = number;
        m_window.editor().setRequest(request);
        m_window.editor().setCheckedBackends({"sdpa", "fav2", "sagev1", "fav3_fp8"});
        if (!m_window.editor().problem().isEmpty()) return said(m_window.editor().problem());
        bool isSettled = false;
        const auto connection = QObject::connect(&m_window.renders(), &studio::RenderController::settled,
                                                 [&] { isSettled = true; });
        Q_EMIT m_window.editor().renderRequested();
        if (kill) killWorker();
        bool whole = waitUntil([&] { return isSettled; }, kRenderMilliseconds);
        if (kill && !areOnDisk()) {
            isSettled = false;
            retryFailed();
            whole = waitUntil([&] { return isSettled; }, kRenderMilliseconds);
        }
        QObject::disconnect(connection);
        whole = whole && waitUntil([&] { return areOnDisk(); });
        if (!whole) return said(m_window.issues().issues().join("; "));
        letRun(50);
        m_windowHeld.push_back(heldBy("self"));
        m_workerHeld.push_back(heldBy(newestChild()));
        return true;
    }

    [[nodiscard]] bool isFlat() const {
        const bool window = reelgrid::isFlat("window", m_windowHeld);
        return reelgrid::isFlat("worker", m_workerHeld) && window;
    }

  private:
    static bool said(const QString& problem) {
        std::fprintf(stderr, "studio_soak: not all clips came: %s\n", qPrintable(problem));
        return false;
    }

    void killWorker() {
        letRun(int(m_chance() % 2000));
        const std::string worker = newestChild();
        if (!worker.empty()) ::kill(std::stoi(worker), SIGKILL);
    }

    /// What a person does after a worker was lost: each failed render once more.
    void retryFailed() {
        for (const QString& id : m_window.jobs().jobIds()) {
            const jobs::Job* job = m_window.renders().jobs().find(id.toStdString());
            if (job != nullptr && job->state == jobs::JobState::Failed)
                Q_EMIT m_window.jobs().retryRequested(id);
        }
    }

    bool areOnDisk() {
        const auto& clips = m_window.comparison().clips();
        return int(clips.size()) == kClips && std::ranges::all_of(clips, [](const auto& clip) {
                   return clip.onDisk && !clip.status.failed;
               });
    }

    std::mt19937 m_chance;
    studio::MainWindow m_window;
    std::vector<Held> m_windowHeld, m_workerHeld;
};

int run(const fs::path& program, int jobs, int kills, unsigned seed, const fs::path& folder) {
    Soak soak(program, folder, seed);
    if (!soak.isReady()) {
        std::fprintf(stderr, "studio_soak: the window can't render: %s\n", qPrintable(soak.problem()));
        return 1;
    }
    const int comparisons = std::max(1, jobs / kClips);
    for (int number = 0; number < comparisons; ++number) {
        const bool kill = kills > 0 && number % std::max(1, comparisons / kills) == 1;
        if (!soak.compare(number, kill)) return 1;
        if (number % 10 == 9) {
            std::printf("%d clips\n", (number + 1) * kClips);
            std::fflush(stdout);
        }
    }
    return soak.isFlat() ? 0 : 1;
}

}  // namespace
}  // namespace reelgrid

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "studio_soak: reelgrid-cli was needed [JOBS [KILLS [SEED]]]\n");
        return 2;
    }
    const QTemporaryDir folder;
    for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        qputenv(place, (folder.path() + "/" + place).toUtf8());
    QApplication application(argc, argv);
    reelgrid::widgets::applyTheme(application);
    const auto number = [&](int place, int otherwise) {
        return argc > place ? std::atoi(argv[place]) : otherwise;
    };
    return reelgrid::run(std::filesystem::absolute(argv[1]), number(2, 1000), number(3, 20),
                         unsigned(number(4, 0)), folder.path().toStdString());
}
