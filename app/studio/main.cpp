#include <QApplication>
#include <cstdio>
#include <thread>

#include "app/studio/main_window.h"
#include "app/studio/theme_choice.h"
#include "app/studio/translations.h"
#include "core/devices/gpu_survey.h"
#include "widgets/theme/theme.h"

namespace {
constexpr const char* kPresent = "--present";
}  // namespace

int main(int argc, char** argv) {
    using namespace reelgrid;
    // Asked for before anything touches the display, so that they answer without one.
    QCoreApplication::setApplicationName("reelgrid");
    QCoreApplication::setApplicationVersion(REELGRID_VERSION);
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument = argv[i];
        if (argument == "--version" || argument == "-v") {
            std::printf("reelgrid %s\n", REELGRID_VERSION);
            return 0;
        }
        if (argument == "--help" || argument == "-h") {
            std::printf(
                "Usage: reelgrid [--present] [SESSION.json | CLIP…]\n\n"
                "Compares renders of one prompt with several attention kernels: plays clips in step, charts\n"
                "their times and temporal coherence, renders new ones in the background.\n\n"
                "  SESSION.json   a comparison as saved here or written by `reelgrid-cli compare`\n"
                "  CLIP…          video files to play side by side\n"
                "  --present      full screen, repeating, with captions for an audience; without a session\n"
                "                 the demo comparison\n"
                "  --help         this text\n"
                "  --version      the version\n\n"
                "Keys: F1 in the window lists them. $REELGRID_WORKER names another worker program than the\n"
                "reelgrid-cli beside this one.\n");
            return 0;
        }
        if (argument.size() > 1 && argument.startsWith('-') && argument != "--" && argument != kPresent) {
            // Qt's own options (-platform, -style, …) have one dash.
            if (!argument.startsWith("--")) continue;
            std::fprintf(stderr,
                         "reelgrid: %s: unknown option, only --present, --help and --version are known\n",
                         argument.constData());
            return 2;
        }
    }
    // The driver takes a while to answer: in the time in which Qt starts.
    const std::jthread survey([] { static_cast<void>(devices::knownGpus()); });
    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName("reelgrid");
    {
        const studio::Settings settings;
        studio::installTranslations(application, settings.language());
        widgets::applyTheme(application, studio::themeOf(settings.theme()), settings.textPercent());
    }
    studio::MainWindow window;
    std::vector<std::filesystem::path> paths;
    const QStringList arguments = QCoreApplication::arguments().mid(1);
    for (const QString& argument : arguments)
        if (argument != "--" && argument != kPresent) paths.emplace_back(argument.toStdString());
    if (arguments.contains(kPresent)) {
        window.setPresenting(true);
        if (paths.empty()) window.sessions().openDemo();
    }
    window.show();
    window.sessions().open(paths);
    return QApplication::exec();
}
