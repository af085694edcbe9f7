#pragma once

#include <QWidget>

#include "core/families/model_info.h"
#include "core/protocol/render_request.h"

namespace reelgrid::widgets {

/// A part of the request editor: shows some of a request's fields and writes them back, those alone.
class RequestFields : public QWidget {
    Q_OBJECT

  public:
    explicit RequestFields(QWidget* parent = nullptr) : QWidget(parent) {}

    /// What holds where a request says nothing.
    virtual void takeDefaults(const families::ModelInfo& /*model*/) {}
    /// Another sampler was chosen, beside which the model has other defaults: where those before are shown,
    /// shows those that hold now.
    virtual void changeDefaults(const families::RenderDefaults& /*before*/,
                                const families::RenderDefaults& /*now*/) {}
    /// Shows the request's values. What is absent in it takes the default, or stays as it was shown.
    virtual void read(const protocol::RenderRequest& request) = 0;
    virtual void write(protocol::RenderRequest& request) const = 0;
    /// What is wrong with a text that can't be written into a request, as the command line says it.
    [[nodiscard]] virtual QString problem() const { return {}; }

  Q_SIGNALS:
    void edited();
};

}  // namespace reelgrid::widgets
