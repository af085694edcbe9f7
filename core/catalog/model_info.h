#pragma once

#include "core/catalog/model_folder.h"
