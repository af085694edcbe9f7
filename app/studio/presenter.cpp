#include "app/studio/presenter.h"

#include <QLabel>
#include <QVBoxLayout>

#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

namespace {
constexpr int kSecondsPerFact = 5;
}  // namespace

Presenter::Presenter(Comparison* comparison, widgets::VideoGrid* grid, QWidget* parent)
    : QWidget(parent), m_comparison(comparison), m_grid(grid), m_prompt(new QLabel), m_fact(new QLabel) {
    m_prompt->setObjectName("caption");
    m_fact->setObjectName("caption-fact");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 12, 24, 20);
    for (QLabel* label : {m_prompt, m_fact}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    m_next.setInterval(kSecondsPerFact * 1000);
    connect(&m_next, &QTimer::timeout, this, &Presenter::showNext);
    connect(m_comparison, &Comparison::factsChanged, this, [this] {
        if (!isRunning()) return;
        setPrompt(m_asked);
        showFact();
    });
    hide();
}

void Presenter::setPrompt(const QString& prompt) {
    m_asked = prompt;
    const QString shown = promptOf(*m_comparison, prompt);
    m_prompt->setText(shown.isEmpty() ? QString() : QString::fromUtf8("“%1”").arg(shown.simplified()));
    m_prompt->setVisible(!shown.isEmpty());
}

void Presenter::start(const QString& prompt) {
    setPrompt(prompt);
    m_at = 0;
    m_next.start();
    showFact();
    show();
}

void Presenter::stop() {
    m_next.stop();
    m_grid->select(-1);
    hide();
}

QString Presenter::prompt() const {
    return m_prompt->text();
}

QString Presenter::fact() const {
    return m_fact->text();
}

void Presenter::showNext() {
    ++m_at;
    showFact();
}

void Presenter::showFact() {
    const std::vector<Fact> facts = factsFor(*m_comparison);
    if (m_at >= facts.size()) m_at = 0;
    if (facts.empty()) return m_fact->clear();
    m_fact->setText(facts[m_at].text);
    m_grid->select(facts[m_at].tile);
}

}  // namespace reelgrid::studio
