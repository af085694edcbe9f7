import no_such_module


def attend(q, k, v, *, scale, causal):
    return q
