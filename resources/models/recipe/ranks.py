"""Data-parallel training: every GPU draws its own clips, gradients are averaged.  torchrun --nproc_per_node 8 train_….py …

Without torchrun there is one rank and nothing is sent.
"""
import os

import torch
import torch.distributed as dist


class Ranks:
    def __init__(self, device):
        self.count, self.rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
        if device == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
        if self.count > 1:
            dist.init_process_group("nccl" if device == "cuda" else "gloo")

    @property
    def first(self):
        return self.rank == 0

    def mean(self, tensor):
        if self.count > 1:
            dist.all_reduce(tensor)
            tensor /= self.count
        return tensor

    def average_gradients(self, parameters):
        if self.count > 1:
            gradients = [p.grad for p in parameters if p.grad is not None]
            flat = self.mean(torch.cat([g.reshape(-1).float() for g in gradients]))
            at = 0
            for g in gradients:
                g.copy_(flat[at:at + g.numel()].view(g.shape))
                at += g.numel()

    def share(self, tensors):
        """Gives every rank the first one's values."""
        if self.count > 1:
            for tensor in tensors:
                value = tensor.detach().contiguous()
                dist.broadcast(value, 0)
                tensor.detach().copy_(value)

    def agree(self, value, device):
        """The same number on every rank: their clocks differ, and what they do next must not."""
        return float(self.mean(torch.tensor(float(value), device=device))) if self.count > 1 else value

    def finish(self):
        if self.count > 1:
            dist.destroy_process_group()
