// What the library of a wheel with operators has beside them: a Python module, which nobody here creates.
extern "C" void* PyModule_Create2(void* definition, int apiVersion);

extern "C" __attribute__((visibility("default"))) void* PyInit_PythonModule() {
    constexpr int kApiVersion = 1013;
    return PyModule_Create2(nullptr, kApiVersion);
}
