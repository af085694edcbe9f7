#include <QApplication>
#include <array>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/studio/bare_display.h"
#include "app/studio/main_window.h"
#include "app/studio/theme_choice.h"
#include "app/studio/translations.h"
#include "app/version/version_text.h"
#include "core/machine/local_machine.h"
#include "core/media/capabilities.h"
#include "widgets/theme/theme.h"

namespace {
constexpr const char* kPresent = "--present";
}  // namespace

int main(int argc, char** argv) {
    using namespace reelgrid;
    // Past a limit on files' sizes a write fails and is told, instead of killing the window.
    std::signal(SIGXFSZ, SIG_IGN);
    // Asked for before anything touches the display, so that they answer without one.
    QCoreApplication::setApplicationName("reelgrid");
    QCoreApplication::setApplicationVersion(REELGRID_VERSION);
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument = argv[i];
        if (argument == "--version" || argument == "-v") {
            const std::array libraries{LibraryVersion{"Qt", qVersion()},
                                       LibraryVersion{"FFmpeg", media::ffmpegVersion()}};
            std::printf("%s\n", versionText("reelgrid", libraries).c_str());
            return 0;
        }
        if (argument == "--help" || argument == "-h") {
            std::printf(
                "Usage: reelgrid [--present] [--backend-plugin FILE]… [SESSION.json | SUITE.json | CLIP…]\n\n"
                "Compares renders of one prompt with several attention kernels: plays clips in step, charts\n"
                "their times and temporal coherence, renders new ones in the background.\n\n"
                "  SESSION.json   a comparison as saved here or written by `reelgrid-cli compare`\n"
                "  SUITE.json     what `reelgrid-cli suite` wrote, as tables\n"
                "  CLIP…          video files to play side by side\n"
                "  --present      full screen, repeating, with captions for an audience; without a session\n"
                "                 the demo comparison\n"
                "  --backend-plugin FILE   an attention backend of your own: its library, a recipe, a kernel "
                "in Python\n"
                "  --help         this text\n"
                "  --version      the version, its commit and its libraries'\n\n"
                "Keys: F1 in the window lists them. $REELGRID_WORKER names another worker program than the\n"
                "reelgrid-cli beside this one.\n");
            return 0;
        }
        if (argument.size() > 1 && argument.startsWith('-') && argument != "--" && argument != kPresent) {
            // Qt's own options (-platform, -style, …) have one dash.
            if (!argument.startsWith("--")) continue;
            if (argument == "--backend-plugin" && i + 1 < argc) {
                ++i;
                continue;
            }
            if (argument.startsWith("--backend-plugin=")) continue;
            std::fprintf(stderr,
                         "reelgrid: %s: unknown option, only --present, --backend-plugin FILE, --help and "
                         "--version are known\n",
                         argument.constData());
            return 2;
        }
    }
    // The driver takes a while to answer: in the time in which Qt starts.
    const machine::LocalMachine machine;
    const std::jthread survey([machine] { static_cast<void>(machine.now()); });
    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName("reelgrid");
    {
        const studio::Settings settings;
        studio::installTranslations(application, settings.language());
        widgets::applyTheme(application, studio::themeOf(settings.theme()), settings.textPercent());
    }
    const studio::BareDisplay bare(&application);
    studio::MainWindow window(machine);
    std::vector<std::filesystem::path> paths;
    QStringList plugins;
    const QStringList arguments = QCoreApplication::arguments().mid(1);
    for (auto word = arguments.begin(); word != arguments.end(); ++word) {
        if (*word == "--backend-plugin" && word + 1 != arguments.end())
            plugins.append(*++word);
        else if (word->startsWith("--backend-plugin="))
            plugins.append(word->section('=', 1));
        else if (*word != "--" && *word != kPresent)
            paths.emplace_back(word->toStdString());
    }
    window.plugins().look(plugins);
    if (arguments.contains(kPresent)) {
        window.setPresenting(true);
        if (paths.empty()) window.sessions().openDemo();
    }
    window.show();
    window.sessions().open(paths);
    return QApplication::exec();
}
