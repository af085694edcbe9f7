// Holds the precompiled ATen header that the libtorch targets share.
