#include "widgets/panels/advanced_fields.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/devices/gpu_choice.h"
#include "core/protocol/render_fields.h"
#include "core/protocol/step_cache_json.h"
#include "widgets/panels/execution_fields.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/model_fields.h"
#include "widgets/panels/rank_fields.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {

namespace {

/// A choice that may be absent: then its first entry, which says what holds in its place, is chosen.
QComboBox* choice(const QString& name, const char* option, const QString& absent, const QStringList& values) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setMinimumWidth(44);
    setOption(box, option);
    if (!absent.isEmpty()) box->addItem(absent, QString());
    for (const QString& value : values) box->addItem(value, value);
    return box;
}

QStringList usableDeviceNames(const devices::GpuSurvey& gpus) {
    QStringList names;
    for (const devices::DeviceName& device : devices::usableDevices(gpus))
        names.append(QString::fromStdString(device.text()));
    return names;
}

/// What was typed as the option's: its numbers with points. A file's name behind @ stays.
QString stepCacheOption(const QString& typed) {
    const auto at = typed.indexOf('@');
    QStringList parts = typed.left(at).split(':');
    for (QString& part : parts)
        if (numberIn(part)) part.replace(QLocale().decimalPoint(), ".");
    return parts.join(':') + (at < 0 ? QString() : typed.mid(at));
}

bool hasGpu(const devices::GpuSurvey& gpus) {
    return devices::usableDevices(gpus).size() > 1;
}

/// fp16 is a GPU's.
QStringList numberFormats(const devices::GpuSurvey& gpus) {
    return hasGpu(gpus) ? QStringList{"fp32", "bf16", "fp16"} : QStringList{"fp32", "bf16"};
}

/// Absent where the model's own choice stands.
std::optional<std::string> choiceIn(const QComboBox* box) {
    const std::string value = chosenIn(box);
    return value.empty() ? std::nullopt : std::optional(value);
}

std::vector<ModelValue> advancedValues() {
    return {
        {"linear",
         AdvancedFields::tr("Linear layers"),
         AdvancedFields::tr("What they multiply: int8 and fp8 round weights and values in blocks, faster, "
                            "with some loss. Else "
                            "the number format, or int8 where the checkpoint stores that"),
         AdvancedFields::tr("as stored"),
         {protocol::kLinearInt8, protocol::kLinearFp8, "bf16", "fp32"}},
        {"sigma_max", AdvancedFields::tr("Sigma"), AdvancedFields::tr("Noise that rCM's sampler starts from"),
         AdvancedFields::tr("model's")},
        {"boundary", AdvancedFields::tr("Boundary"), AdvancedFields::tr("Between two experts, of 1"),
         AdvancedFields::tr("model's")},
    };
}

}  // namespace

AdvancedFields::AdvancedFields(const devices::GpuSurvey& gpus, QWidget* parent)
    : RequestFields(parent),
      m_unfold(new QPushButton),
      m_content(new QWidget),
      m_scheduler(choice(tr("Scheduler"), "--scheduler", tr("model's"), {})),
      m_flowShift(new OptionalRealEdit(tr("Flow shift"), "--flow-shift")),
      m_fps(new OptionalRealEdit(tr("Frames per second"), "--fps")),
      m_stepCache(new QLineEdit),
      m_dtype(choice(tr("Number format"), "--dtype", tr("fastest"), numberFormats(gpus))),
      m_device(choice(tr("Device"), "--device", tr("automatic"), usableDeviceNames(gpus))),
      m_vaeDtype(choice(tr("Number format of the VAE"), "--vae-dtype", tr("model's"), numberFormats(gpus))),
      m_fp32Precision(
          choice(tr("Products of fp32"), "--fp32-precision", {}, {protocol::kIeee, protocol::kTf32})),
      m_generator(choice(tr("Generator of the noise"), "--generator", tr("model's"), {"cpu", "cuda"})),
      m_repetitions(numberBox(tr("Repetitions"), "--num-repetitions")),
      m_ofSomeModels(new ModelFields(advancedValues())),
      m_execution(new ExecutionFields(gpus)),
      m_ranks(new RankFields) {
    m_unfold->setObjectName("flat");
    m_unfold->setProperty("plain", true);
    m_unfold->setCheckable(true);
    m_unfold->setAccessibleName(tr("Advanced"));
    m_repetitions->setValue(1);
    m_dtype->setToolTip(tr("Fastest: the fastest format of equal quality on the device"));
    m_vaeDtype->setToolTip(
        tr("What the VAE decodes in. fp32, unless the model's authors decode in less; bf16 and fp16 take "
           "half the memory"));
    m_fp32Precision->setToolTip(tr(
        "How a GPU multiplies fp32: as written, or with factors rounded to TF32's 10 bits, which is faster"));
    m_generator->setToolTip(
        tr("Whose random numbers the noise is. The processor's give one picture for a seed on every device"));
    m_device->setToolTip(tr("Automatic: a GPU with room for the model, else the processor"));
    for (OptionalRealEdit* edit : {m_flowShift, m_fps}) edit->setPlaceholderText(tr("model's"));
    m_stepCache->setAccessibleName(tr("Step cache"));
    m_stepCache->setMinimumWidth(44);
    setOption(m_stepCache, "--step-cache");
    m_stepCache->setPlaceholderText(tr("off"));
    m_stepCache->setToolTip(tr(
        "Leaves blocks of passes out that hardly change: a share, such as 0.28, that the first block's "
        "changes add up to less than; teacache:0.1, magcache:0.12 or taylorseer:3. Faster, with some loss. "
        "Render sdpa without it, too, to see how much"));

    auto* parts = new QVBoxLayout(m_content);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(6);
    auto* fields = new QGridLayout;
    parts->addLayout(fields);
    parts->addWidget(m_ofSomeModels);
    parts->addWidget(m_execution);
    parts->addWidget(m_ranks);
    fields->setHorizontalSpacing(8);
    fields->setVerticalSpacing(6);
    const auto put = [&](int row, int column, const QString& name, QWidget* field) {
        fields->addWidget(quiet(name), row, 2 * column);
        fields->addWidget(field, row, 2 * column + 1);
    };
    put(0, 0, tr("Scheduler"), m_scheduler);
    put(0, 1, tr("Shift"), m_flowShift);
    put(1, 0, tr("Format"), m_dtype);
    put(1, 1, tr("Rate"), m_fps);
    put(2, 0, tr("Device"), m_device);
    put(2, 1, tr("Repeat"), m_repetitions);
    put(3, 0, tr("VAE"), m_vaeDtype);
    // Where there is no GPU these have one value that works; they keep what a session brought.
    if (hasGpu(gpus)) {
        put(3, 1, tr("fp32"), m_fp32Precision);
        put(4, 0, tr("Noise"), m_generator);
        put(4, 1, tr("Cache"), m_stepCache);
    } else {
        put(3, 1, tr("Cache"), m_stepCache);
        for (QComboBox* box : {m_fp32Precision, m_generator}) {
            box->setParent(m_content);
            box->hide();
        }
    }
    fields->setColumnStretch(1, 1);
    fields->setColumnStretch(3, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_unfold, 0, Qt::AlignLeft);
    column->addWidget(m_content);

    connect(m_unfold, &QPushButton::toggled, this, [this](bool unfolded) {
        m_content->setVisible(unfolded);
        m_unfold->setText(unfolded ? tr("Advanced  ▾") : tr("Advanced  ▸"));
    });
    m_unfold->setChecked(true);
    m_unfold->setChecked(false);
    for (QComboBox* box : {m_scheduler, m_dtype, m_device, m_vaeDtype, m_fp32Precision, m_generator})
        connect(box, &QComboBox::currentIndexChanged, this, &AdvancedFields::edited);
    for (QLineEdit* edit :
         {static_cast<QLineEdit*>(m_flowShift), static_cast<QLineEdit*>(m_fps), m_stepCache})
        connect(edit, &QLineEdit::textChanged, this, &AdvancedFields::edited);
    connect(m_repetitions, &QSpinBox::valueChanged, this, &AdvancedFields::edited);
    connect(m_ofSomeModels, &ModelFields::edited, this, &AdvancedFields::edited);
    connect(m_execution, &ExecutionFields::edited, this, &AdvancedFields::edited);
    connect(m_ranks, &RankFields::edited, this, &AdvancedFields::edited);
    connect(m_device, &QComboBox::currentIndexChanged, this,
            [this] { m_execution->setDevice(chosenIn(m_device)); });
}

void AdvancedFields::takeDefaults(const families::ModelInfo& model) {
    m_execution->takeDefaults(model);
    m_ranks->takeDefaults(model);
    m_ofSomeModels->takeDefaults(model);
    m_fps->setPlaceholderText(tr("model's: %1").arg(significantText(model.defaults.fps, 6)));
    m_scheduler->setEnabled(model.takes("scheduler"));
    m_flowShift->setEnabled(model.takes("flow_shift"));
    m_takesStepCache = model.takes("step_cache");
    m_stepCache->setEnabled(m_takesStepCache);
    const std::optional<std::string> chosen = choiceIn(m_scheduler);
    while (m_scheduler->count() > 1) m_scheduler->removeItem(1);
    for (const std::string& name : model.schedulers)
        m_scheduler->addItem(QString::fromStdString(name), QString::fromStdString(name));
    choose(m_scheduler, chosen.value_or(""));
}

void AdvancedFields::read(const protocol::RenderRequest& request) {
    choose(m_scheduler, request.scheduler.value_or(""));
    m_flowShift->setValue(request.flowShift);
    m_fps->setValue(request.fps);
    m_stepCache->setText(request.stepCache.isOn() ? localText(textOf(request.stepCache)) : QString());
    m_shownCache = request.stepCache;
    choose(m_dtype, request.dtype.value_or(""));
    choose(m_device, request.device.value_or(""));
    choose(m_vaeDtype, request.vaeDtype.value_or(""));
    choose(m_fp32Precision, request.fp32Precision);
    choose(m_generator, request.generator.value_or(""));
    m_repetitions->setValue(request.numRepetitions);
    m_execution->read(request);
    m_ranks->read(request);
    m_ofSomeModels->read(request);
    const protocol::RenderRequest plain;
    const bool ownChoice = request.scheduler || request.flowShift || request.fps || request.dtype ||
                           request.stepCache.isOn() || request.device || request.vaeDtype ||
                           request.fp32Precision != plain.fp32Precision || request.generator ||
                           request.numRepetitions != 1 || m_execution->hasOwnChoice() ||
                           m_ranks->hasOwnChoice() || m_ofSomeModels->hasOwnChoice();
    if (ownChoice) m_unfold->setChecked(true);
}

std::optional<std::string> AdvancedFields::scheduler() const {
    return choiceIn(m_scheduler);
}

void AdvancedFields::write(protocol::RenderRequest& request) const {
    request.scheduler = scheduler();
    request.flowShift = m_flowShift->value();
    request.fps = m_fps->value();
    const auto cache = stepCache();
    request.stepCache = cache ? *cache : protocol::StepCache();
    request.dtype = choiceIn(m_dtype);
    request.device = choiceIn(m_device);
    request.vaeDtype = choiceIn(m_vaeDtype);
    request.fp32Precision = m_fp32Precision->currentData().toString().toStdString();
    request.generator = choiceIn(m_generator);
    request.numRepetitions = m_repetitions->value();
    m_execution->write(request);
    m_ranks->write(request);
    m_ofSomeModels->write(request);
}

Result<protocol::StepCache> AdvancedFields::stepCache() const {
    const QString text = m_stepCache->text().trimmed();
    if (!m_takesStepCache || text.isEmpty()) return protocol::StepCache();
    auto cache = protocol::stepCacheFromOption(stepCacheOption(text).toStdString());
    if (cache && cache->curve.empty() && textOf(*cache) == textOf(m_shownCache)) return m_shownCache;
    return cache;
}

QString AdvancedFields::problem() const {
    if (const auto cache = stepCache(); !cache) return QString::fromStdString(cache.error().message);
    for (const OptionalRealEdit* edit : {m_flowShift, m_fps})
        if (const QString problem = edit->problem(); !problem.isEmpty()) return problem;
    if (const QString problem = m_ranks->problem(); !problem.isEmpty()) return problem;
    return m_ofSomeModels->problem();
}

}  // namespace reelgrid::widgets
