#pragma once

#include <QLocale>

namespace reelgrid {

/// While it lives, numbers are shown as in Germany.
class GermanLocale {
  public:
    GermanLocale() { QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany)); }
    ~GermanLocale() { QLocale::setDefault(m_before); }
    GermanLocale(const GermanLocale&) = delete;
    GermanLocale& operator=(const GermanLocale&) = delete;

  private:
    QLocale m_before;
};

}  // namespace reelgrid
