"""Muon (momentum, orthogonalised by Newton-Schulz steps) for weight matrices and convolution kernels, batched by shape.

The update's root mean square is 0.2 × lr whatever the shape (Moonlight's scaling), so AdamW's learning rates carry over.
"""
import torch


class Muon:
    def __init__(self, parameters, momentum=0.95, weight_decay=0.01):
        groups = {}
        for p in parameters:
            groups.setdefault(tuple(p.shape), []).append(p)
        self.groups = [(ps, torch.zeros(len(ps), shape[0], ps[0].numel() // shape[0], device=ps[0].device))
                       for shape, ps in groups.items()]
        self.momentum, self.weight_decay = momentum, weight_decay

    def state(self):
        return [buffer for _, buffer in self.groups]

    @torch.no_grad()
    def step(self, lr):
        for parameters, buffer in self.groups:
            g = torch.stack([p.grad.flatten(1) for p in parameters])
            buffer.lerp_(g, 1 - self.momentum)
            u = torch.lerp(g, buffer, self.momentum).bfloat16()
            rows, cols = u.shape[1:]
            if rows > cols:
                u = u.mT
            u = u / (u.norm(dim=(1, 2), keepdim=True) + 1e-7)
            for _ in range(5):
                a = u @ u.mT
                u = 3.4445 * u + (-4.7750 * a + 2.0315 * (a @ a)) @ u
            if rows > cols:
                u = u.mT
            torch._foreach_mul_(parameters, 1 - lr * self.weight_decay)
            for p, update in zip(parameters, u.float().unbind(0)):
                p.add_(update.reshape(p.shape), alpha=-lr * 0.2 * max(rows, cols) ** 0.5)
