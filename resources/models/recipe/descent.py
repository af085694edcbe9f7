"""The loop that the transformers' stages share: clips from a pool, Muon and AdamW, moving averages, everything by the clock."""
import os
import time
import traceback

import torch
import torch.nn as nn

from muon import Muon
from session import follow, record, say


class Task:
    """What a stage trains. models and averages: matching lists; the transformer comes first. pool: draws and keeps clips."""
    name = ""

    def __init__(self, models, averages, pool):
        self.models, self.averages, self.pool = models, averages, pool
        for average, model in zip(averages, models):
            average.load_state_dict(model.state_dict())
            average.requires_grad_(False).eval()

    def blocks(self):
        """Blocks of the transformer, alike, to be compiled."""
        raise NotImplementedError

    def loss(self, progress, step):
        """(loss, clips seen)"""
        raise NotImplementedError

    def write(self):
        raise NotImplementedError

    def preview(self):
        pass


def fill(pool, seconds):
    start = time.time()
    while pool.filled < min(8, pool.batch) or time.time() - start < seconds:
        pool.add()
    say(f"pool {pool.total} clips, {pool.total / max(time.time() - start, 1e-3):.0f} clips/s")


def split_parameters(models):
    """Matrices of the transformer's blocks go to Muon; the rest of it and the smaller models to AdamW."""
    inner = [p for n, p in models[0].named_parameters() if "blocks." in n and p.dim() == 2 and p.requires_grad]
    ids = {id(p) for p in inner}
    rest = [p for p in models[0].parameters() if id(p) not in ids and p.requires_grad]
    words = [p for m in models[1:] for p in m.parameters() if p.requires_grad]
    return inner, rest, words


def rate_at(progress, step, warm_up=200):
    return min(1, (step + 1) / warm_up) * (1 if progress < 0.5 else max(0.02, (1 - progress) / 0.5))


def synchronise(device):
    if device == "cuda":
        torch.cuda.synchronize()


def descend(a, ranks, task, kept=None):
    """Trains from a.progress to a.progress_to; kept: what an earlier run of the same training left."""
    device, models = a.device, task.models
    for model in models:
        ranks.share(model.parameters())
    for average, model in zip(task.averages, models):
        average.load_state_dict(model.state_dict())
    if kept:
        for model, tensors in zip(models + task.averages, kept["models"]):
            model.load_state_dict(tensors)
    if device == "cuda":
        for block in task.blocks():
            block.compile(dynamic=False)
    inner, rest, words = split_parameters(models)
    everything = rest + words + inner
    muon = Muon(inner)
    adam = torch.optim.AdamW([{"params": rest, "part": 1.0}, {"params": words, "part": 0.6}], lr=a.lr_adam, betas=(0.9, 0.98),
                             weight_decay=0.01, fused=device == "cuda")
    if kept:
        adam.load_state_dict(kept["adam"])
        for buffer, values in zip(muon.state(), kept["muon"]):
            buffer.copy_(values)
    first, seen = (kept["step"], kept["seen"]) if kept else (0, 0)
    log, sums, step, seen_before, encoding, progress = [], [], first, seen, 0.0, a.progress
    start = last_say = last_save = time.time()
    seconds = a.until - start if a.until else a.seconds
    while True:
        now = time.time()
        if (step - first) % 10 == 0:
            progress = ranks.agree(a.progress + (a.progress_to - a.progress) * (now - start) / seconds, device)
        if progress >= a.progress_to:
            break
        if encoding < a.encode_share * (now - start) and progress < 0.93:
            synchronise(device)
            begin = time.time()
            task.pool.add()
            synchronise(device)
            encoding += time.time() - begin
        loss, count = task.loss(progress, step)
        loss.backward()
        used = [p for p in everything if p.grad is not None]
        ranks.average_gradients(used)
        norm = nn.utils.clip_grad_norm_(used, 1.0, foreach=True)
        rate = rate_at(progress, step)
        for g in adam.param_groups:
            g["lr"] = a.lr_adam * rate * g["part"]
        adam.step()
        muon.step(a.lr * rate)
        for p in everything:
            p.grad = None
        for average, model in zip(task.averages, models):
            follow(average, model, step, 0.9985)
        step, seen = step + 1, seen + count * ranks.count
        if not ranks.first:
            continue
        sums.append(torch.stack([loss.detach(), norm]))
        if step % 200 == 0 or step - first in (1, 10, 50):
            m, t = torch.stack(sums).mean(0).tolist(), time.time()
            log.append([step, round(m[0], 4)])
            say(f"{task.name} step {step} clips {count} progress {progress:.3f} loss {m[0]:.4f} norm {m[1]:.2f} "
                f"{(seen - seen_before) / (t - last_say):.0f} clips/s seen {seen // 1000}k pool {task.pool.total} "
                f"encoding {encoding:.0f} s")
            sums, last_say, seen_before = [], t, seen
        if time.time() - last_save > a.save_every:
            last_save = time.time()
            task.write()
            if a.previews and progress > 0.4:
                try:
                    task.preview()
                except Exception:
                    traceback.print_exc()
    if ranks.first:
        task.write()
        record(a.work, f"{task.name}.json", {"steps": step, "ranks": ranks.count, "clips_seen": seen,
                                             "clips_drawn_by_rank_0": task.pool.total, "seconds": time.time() - start, "loss": log})
        say(task.name, "done", step, "steps", seen, "clips seen", task.pool.total, "drawn by the first rank")
        if a.state and a.progress_to < 1:
            torch.save({"step": step, "seen": seen, "models": [m.state_dict() for m in models + task.averages],
                        "adam": adam.state_dict(), "muon": muon.state(), "pool": task.pool.state()}, a.state + ".part")
            os.replace(a.state + ".part", a.state)
            say("state kept")


def add_arguments(p):
    p.add_argument("--work", required=True, help="holds vae.safetensors; everything is written here")
    p.add_argument("--seconds", type=float, default=1000)
    p.add_argument("--until", type=float, default=0, help="the Unix time to end at, in place of --seconds")
    p.add_argument("--fill", type=float, default=40, help="seconds to draw clips before the first step")
    p.add_argument("--encode_share", type=float, default=0.16, help="share of the time that goes to drawing new clips")
    p.add_argument("--init", default="")
    p.add_argument("--progress", type=float, default=0.0)
    p.add_argument("--progress_to", type=float, default=1.0, help="less than 1 where another run goes on")
    p.add_argument("--state", default="", help="all that a run goes on from, drawn clips too: read if there, written at the end")
    p.add_argument("--seed", type=int, default=0, help="of scenes and noise: another one for every run that goes on")
    p.add_argument("--clips", type=int, default=112, help="of a step, on each GPU")
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--lr_adam", type=float, default=1e-3)
    p.add_argument("--save_every", type=float, default=150)
    p.add_argument("--previews", type=int, default=1)
    p.add_argument("--workers", type=int, default=6)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
