"""What the two recipes of FastVideo's kernels share: the package, and what neither takes."""

from peer_package import Package, is_usual

PACKAGE = Package("fastvideo-kernel", "0.3.4", "fastvideo_kernel", "--no-deps fastvideo-kernel==0.3.4")


def refusal(kernel, *, grid, scale, head_dim, queries, keys, **context):
    """Why a call isn't one of a clip's self-attention as both kernels take it; None where it is. kernel: its name."""
    if grid is None:
        return "where the tokens lie in the clip is not known: a render or --grid tells it"
    if grid.text_tokens:
        return f"{grid.text_tokens} text tokens among the clip's: {kernel} takes the clip's alone"
    if queries != keys:
        return f"{queries} queries and {keys} keys: {kernel} takes self-attention alone"
    return None if is_usual(scale, head_dim) else f"scale {scale:g}: {kernel} has 1/sqrt(head dim) built in"
