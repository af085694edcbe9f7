#include "widgets/panels/rank_fields.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

namespace {

/// Of one machine: more make nothing faster.
constexpr int kMostProcesses = 64;

QSpinBox* degreeBox(const QString& name, const char* option, const QString& toolTip) {
    QSpinBox* box = numberBox(name, option);
    box->setMinimum(1);
    box->setToolTip(toolTip);
    return box;
}

}  // namespace

RankFields::RankFields(QWidget* parent)
    : RequestFields(parent),
      m_ulysses(
          degreeBox(tr("Ulysses degree"), "--ulysses-degree",
                    tr("So many processes share a pass's tokens, and in attention its heads, of which it "
                       "has to be a divisor. Each takes a GPU, where there are GPUs"))),
      m_ring(degreeBox(tr("Ring degree"), "--ring-degree",
                       tr("So many processes share a pass's tokens and hand keys and values round"))),
      m_guidance(checkBox(tr("Both passes of guidance at once"), "--cfg-parallel",
                          tr("Half of the processes compute each of guidance's two passes"))),
      m_shards(
          checkBox(tr("A part of the weights in each process"), "--shard-weights",
                   tr("Each block is gathered while the one before computes: the model takes less memory of "
                      "each GPU"))),
      m_count(quiet({})) {
    auto* degrees = new QHBoxLayout;
    degrees->setSpacing(8);
    degrees->addWidget(quiet(tr("Ulysses")));
    degrees->addWidget(m_ulysses, 1);
    degrees->addWidget(quiet(tr("Ring")));
    degrees->addWidget(m_ring, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(degrees);
    column->addWidget(m_guidance);
    column->addWidget(m_shards);
    column->addWidget(m_count);
    m_count->setWordWrap(true);
    for (QSpinBox* box : {m_ulysses, m_ring}) {
        connect(box, &QSpinBox::valueChanged, this, &RankFields::showCount);
        connect(box, &QSpinBox::valueChanged, this, &RankFields::edited);
    }
    for (QCheckBox* box : {m_guidance, m_shards}) {
        connect(box, &QCheckBox::toggled, this, &RankFields::showCount);
        connect(box, &QCheckBox::toggled, this, &RankFields::edited);
    }
    m_shards->hide();
    m_count->hide();
}

std::int64_t RankFields::processes() const {
    return std::int64_t{1} * m_ulysses->value() * m_ring->value() * (m_guidance->isChecked() ? 2 : 1);
}

QString RankFields::problem() const {
    if (processes() <= kMostProcesses) return {};
    return QString(
               "--ulysses-degree %1 x --ring-degree %2 x --cfg-parallel %3 are %4 ranks: at most %5 of one "
               "machine were needed")
        .arg(m_ulysses->value())
        .arg(m_ring->value())
        .arg(m_guidance->isChecked() ? 2 : 1)
        .arg(processes())
        .arg(kMostProcesses);
}

bool RankFields::hasOwnChoice() const {
    return processes() > 1 || m_shards->isChecked();
}

void RankFields::showCount() {
    setVisible(m_isShareable || hasOwnChoice());
    m_shards->setVisible((m_takesShards && processes() > 1) || m_shards->isChecked());
    m_count->setVisible(processes() > 1);
    m_count->setText(tr("%n processes render each clip; memory is of each", nullptr, int(processes())));
}

void RankFields::takeDefaults(const families::ModelInfo& model) {
    m_isShareable = model.takes("ulysses_degree");
    m_takesShards = model.takes("shard_weights");
    showCount();
}

void RankFields::read(const protocol::RenderRequest& request) {
    m_ulysses->setValue(request.ulyssesDegree.value_or(1));
    m_ring->setValue(request.ringDegree.value_or(1));
    m_guidance->setChecked(request.cfgParallel.value_or(1) > 1);
    m_shards->setChecked(request.shardWeights);
}

/// As the command line asks for it: clips are named by the first two.
void RankFields::write(protocol::RenderRequest& request) const {
    request.ulyssesDegree = request.ringDegree = request.cfgParallel = std::nullopt;
    if (processes() > 1) {
        request.ulyssesDegree = m_ulysses->value();
        request.ringDegree = m_ring->value();
    }
    if (m_guidance->isChecked()) request.cfgParallel = 2;
    request.shardWeights = m_shards->isChecked();
}

}  // namespace reelgrid::widgets
