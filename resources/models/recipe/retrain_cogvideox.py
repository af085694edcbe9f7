"""Trains the CogVideoX miniature on from its shipped weights, by itself and by the clock.

    python3 retrain_cogvideox.py start   --work DIR --minutes 22   begins in a session of its own, or goes on where it was
    python3 retrain_cogvideox.py status  --work DIR                the end of the log, and what is done
    python3 retrain_cogvideox.py finish  --work DIR                ends training now and goes on to what comes after it
    python3 retrain_cogvideox.py collect --work DIR --out FOLDER   the model in pieces, and sheets, tables and log in one archive

Stages: a judge; the shipped model as it sees it; the decoder alone, so that latents stay what they are; the transformer with the text
encoder, on clips of which many name two colours; the model's folder; the new model as the judge sees it; report.txt. A stage that
fails is tried again from what it last wrote. Only ../cogvideox-demo and of ../wan-demo what isn't weights are read; `start` copies them and
the recipe to DIR/source, from where it runs, so that this folder may change or go.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SHIPPED, BASE = os.path.join(HERE, "..", "cogvideox-demo"), os.path.join(HERE, "..", "wan-demo")
PIECE = 16_000_000
SETS, HEADS = ("all", "clash"), ("object", "motion", "colour")
START = 0.4  # of the learning rate's schedule: its full height until 0.5, then down


class State:
    """What is done and when it all ends, kept in a file."""

    def __init__(self, work):
        self.path, self.work = f"{work}/state.json", work
        self.values = {"done": [], "begun": {}}
        if os.path.exists(self.path):
            with open(self.path) as f:
                self.values = json.load(f)

    def save(self):
        with open(self.path + ".part", "w") as f:
            json.dump(self.values, f, indent=1)
        os.replace(self.path + ".part", self.path)

    def begin(self, stage):
        self.values["begun"].setdefault(stage, time.time())
        self.save()
        return self.values["begun"][stage]

    def finish(self, stage):
        self.values["done"].append(stage)
        self.save()

    def is_alive(self):
        try:
            with open(f"/proc/{self.values.get('process', 0)}/stat") as f:
                return f.read().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False


def say(work, *words):
    with open(f"{work}/log.txt", "a") as log:
        print(time.strftime("%H:%M:%S"), *words, file=log, flush=True)


class Retraining:
    def __init__(self, a):
        self.a, self.work, self.state = a, a.work, State(a.work)
        self.end = self.state.values["end"]
        self.total = self.end - self.state.values["started"]
        self.after = 8 if a.tiny else min(135, 0.1 * self.total)  # the folder and the last look

    def run(self, script, *words, may_be_cut=False):
        """One of the recipe's programs, its words in the log. Returns whether it went well; None where it was cut short."""
        command = [sys.executable, "-u", os.path.join(HERE, script), *map(str, words), "--device", self.a.device]
        say(self.work, "==", script, *words)
        with open(f"{self.work}/log.txt", "a") as log:
            process = subprocess.Popen(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            while process.poll() is None:
                if may_be_cut and os.path.exists(f"{self.work}/finish"):
                    process.send_signal(signal.SIGTERM)
                    process.wait()
                    return None
                time.sleep(0.5)
        if process.returncode != 0:
            say(self.work, "==", script, "ended with", process.returncode)
        return process.returncode == 0

    def small(self):
        return ("--tiny", 1, "--workers", 0) if self.a.tiny else ("--workers", self.a.workers)

    # -- stages

    def judge(self):
        seconds = 4 if self.a.tiny else 0.105 * self.total
        batch = ("--batch", 8) if self.a.tiny else ()
        return any(self.run("train_judge.py", "--work", self.work, "--seconds", seconds, *batch, *self.small()) for _ in range(2))

    def look(self, name, folder):
        """Clips of both sets of prompts, and what the judge says of them."""
        few = ("--every", 60, "--frames", 3, "--steps", 2) if self.a.tiny else ()
        good = True
        for prompts in SETS:
            words = ("--family", "cogvideox", "--diffusers", folder, "--work", self.work, "--precision", "fp8", "--guidance", 3, "--name",
                     f"{name}-{prompts}", "--prompts", prompts, "--showcase", 24 if prompts == "all" and not self.a.tiny else 0, *few)
            good = self.run("evaluate.py", "generate", *words) and self.run("evaluate.py", "judge", *words) and good
        return good

    def before(self):
        os.makedirs(f"{self.work}/shipped", exist_ok=True)
        self.decode_with("shipped", "--seconds", 1, "--progress", 1)
        return self.look("shipped", SHIPPED)

    def decode_with(self, folder, *words):
        return self.run("train_vae.py", "--family", "cogvideox", "--decoder", 1, "--init", f"{self.work}/start/vae.safetensors", "--work",
                        os.path.join(self.work, folder), *words, *self.small())

    def decoder(self):
        seconds = 4 if self.a.tiny else 0.07 * self.total
        if not self.decode_with("", "--seconds", seconds, "--progress", 0.6):
            shutil.copy(f"{self.work}/start/vae.safetensors", f"{self.work}/vae.safetensors")
            return False
        return True

    def transformer(self):
        begun, until = self.state.begin("transformer"), self.end - self.after
        clips = 1 if self.a.tiny else self.a.clips
        for attempt in range(6):
            at = START + (1 - START) * (time.time() - begun) / max(until - begun, 1)
            if at > 0.97:
                break
            known = self.work if os.path.exists(f"{self.work}/transformer_0.safetensors") else f"{self.work}/start"
            good = self.run("train_cogvideox.py", "--work", self.work, "--init", known, "--until", until, "--progress", round(at, 4), "--clips",
                            clips, "--sprites", 8, "--clash", 0.25, "--pool", 32768, "--fill", 1 if self.a.tiny else 15, "--seed",
                            self.a.seed + attempt, "--previews", 0, "--lr", self.a.lr, "--lr_adam", self.a.lr / 2, *self.small(),
                            may_be_cut=True)
            if good or good is None:
                return True
            time.sleep(5)
            clips = max(1, clips * 2 // 3)
        return os.path.exists(f"{self.work}/transformer_0.safetensors")

    def export(self):
        return export(self.work, self.a)

    def afterwards(self):
        return self.look("new", f"{self.work}/cogvideox-demo")

    def whole(self):
        for part in ("start", "shipped"):
            os.makedirs(f"{self.work}/{part}", exist_ok=True)
        subprocess.run([sys.executable, os.path.join(HERE, "unpack.py"), "--model", SHIPPED, "--out", f"{self.work}/start"], check=True, cwd=HERE)
        for stage in ("judge", "before", "decoder", "transformer", "export", "afterwards"):
            if stage in self.state.values["done"]:
                continue
            self.state.begin(stage)
            say(self.work, "== stage", stage, f"{self.end - time.time():.0f} s left")
            if not getattr(self, stage)():
                say(self.work, "== stage", stage, "went wrong: what there is goes on")
            self.state.finish(stage)
            report(self.work)
        say(self.work, "== all done")


def export(work, a):
    folder = f"{work}/cogvideox-demo"
    shutil.rmtree(folder, ignore_errors=True)
    with open(f"{work}/log.txt", "a") as log:
        return subprocess.run([sys.executable, os.path.join(HERE, "export.py"), "--family", "cogvideox", "--work", work, "--out", folder,
                               "--base", BASE, "--guidance", "3"], cwd=HERE, stdout=log, stderr=log).returncode == 0


# ── what came out ────────────────────────────────────────────────────────────────────────────────────────────


def read(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def report(work):
    """report.txt: what the judge says of the shipped and the new model, and what both autoencoders keep of a clip."""
    lines = [f"judge on unseen clips of the generator: {read(f'{work}/judge.json')}"]
    for name, path in (("shipped", f"{work}/shipped/vae.json"), ("new", f"{work}/vae.json")):
        vae = read(path) or {}
        lines.append(f"autoencoder, {name}: " + ", ".join(f"{k} {vae[k]}" for k in ("psnr", "psnr_lowest", "psnr_sprites", "psnr_moving_sprites")
                                                         if k in vae))
    for prompts in SETS:
        both = {}
        for name in ("shipped", "new"):
            found = [n for n in sorted(os.listdir(work)) if n.startswith(f"evaluation_{name}-{prompts}_") and n.endswith(".json")]
            if found:
                both[name] = read(f"{work}/{found[0]}")
        if not both:
            continue
        lines += ["", f"prompts: {prompts}, {next(iter(both.values()))['prompts']}; object, motion, colour right, per cent: " + " | ".join(both)]
        first = next(iter(both.values()))
        groups = [(g, lambda r, g=g: r[g]) for g in ("all", "held out", "animals")]
        for kind in ("by motion", "by colour", "by object"):
            groups += [(f"{kind[3:]} {key}", lambda r, kind=kind, key=key: r[kind][key]) for key in first[kind]]
        for title, of in groups:
            values = [[of(r)[h] for h in HEADS] for r in both.values()]
            if title.startswith("object ") and all(v == 100 for row in values for v in row) or not any(map(any, values)):
                continue  # nothing to see, or no prompt of this group
            lines.append(f"{title:28}" + " | ".join(" ".join(f"{v:5.1f}" for v in row) for row in values))
        for name, result in both.items():
            lines += [f"misses of {name}: {len(result['misses'])}"] + [f"  {m['prompt']}: {m['judge saw']}" for m in result["misses"]]
    with open(f"{work}/report.txt", "w") as f:
        f.write("\n".join(lines) + "\n")


def readable(entry):
    entry.mode = 0o755 if entry.isdir() else 0o644
    return entry


def collect(a):
    folder = f"{a.work}/cogvideox-demo"
    if not os.path.exists(f"{folder}/transformer/diffusion_pytorch_model.safetensors.index.json"):
        say(a.work, "== collected before the end: the weights of the last save")
        export(a.work, a)
    report(a.work)
    os.makedirs(a.out, exist_ok=True)
    if os.path.exists(folder):
        with tarfile.open(f"{a.work}/model.tar", "w") as archive:
            archive.add(folder, "cogvideox-demo", filter=readable)
        with open(f"{a.work}/model.tar", "rb") as f:
            for k, part in enumerate(iter(lambda: f.read(PIECE), b"")):
                with open(f"{a.out}/cogvideox-demo.tar.{k}", "wb") as out:
                    out.write(part)
    kept, size = [], 0
    for name in ["report.txt", "log.txt", "state.json"] + sorted(os.listdir(a.work)):
        path = os.path.join(a.work, name)
        if name in kept or not name.endswith((".txt", ".json", ".png", ".jpg")) or not os.path.isfile(path):
            continue
        size += os.path.getsize(path)
        if size > PIECE - 200_000:
            break
        kept.append(name)
    with tarfile.open(f"{a.out}/retraining.tar", "w") as archive:
        for name in kept:
            archive.add(os.path.join(a.work, name), name)
        if os.path.exists(f"{a.work}/shipped/vae_sheet.png") and size < PIECE - 2_000_000:
            archive.add(f"{a.work}/shipped/vae_sheet.png", "shipped_vae_sheet.png")
    status(a)


def status(a):
    state = State(a.work)
    print("done:", ", ".join(state.values["done"]) or "nothing", "|", "running" if state.is_alive() else "not running", "|",
          f"{state.values.get('end', 0) - time.time():.0f} s left")
    for name in ("log.txt", "report.txt"):
        if os.path.exists(f"{a.work}/{name}"):
            with open(f"{a.work}/{name}") as f:
                lines = f.readlines()
            print("".join(lines[-12:] if name == "log.txt" else lines[:12]), end="")


def copy_of_source(folder):
    """The recipe and what it reads, copied unless they are there; the path of this script there."""
    script = f"{folder}/recipe/{os.path.basename(__file__)}"
    if not os.path.exists(script):
        weights = shutil.ignore_patterns("*.safetensors*", "__pycache__")
        shutil.copytree(SHIPPED, f"{folder}/cogvideox-demo", dirs_exist_ok=True)
        shutil.copytree(BASE, f"{folder}/wan-demo", ignore=weights, dirs_exist_ok=True)
        shutil.copytree(HERE, f"{folder}/recipe", ignore=shutil.ignore_patterns("svd", "__pycache__"), dirs_exist_ok=True)
    return script


def start(a):
    os.makedirs(a.work, exist_ok=True)
    state = State(a.work)
    if state.is_alive():
        sys.exit("retrain_cogvideox.py: it is running already: see status")
    state.values.setdefault("started", time.time())
    state.values.setdefault("end", state.values["started"] + 60 * a.minutes)
    state.save()
    words = [f"--{k}={v}" for k, v in vars(a).items() if k not in ("what", "out")]
    script = copy_of_source(f"{a.work}/source")
    with open(f"{a.work}/log.txt", "a") as log:
        process = subprocess.Popen([sys.executable, "-u", script, "run", *words], start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    state.values["process"] = process.pid
    state.save()
    time.sleep(2 if a.tiny else 15)
    status(a)


def run(a):
    Retraining(a).whole()


def finish(a):
    with open(f"{a.work}/finish", "w"):
        pass


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["start", "run", "status", "finish", "collect"])
    p.add_argument("--work", required=True)
    p.add_argument("--minutes", type=float, default=22)
    p.add_argument("--out", default="")
    p.add_argument("--clips", type=int, default=48)
    p.add_argument("--lr", type=float, default=1.6e-3)
    p.add_argument("--seed", type=int, default=31)
    p.add_argument("--workers", type=int, default=6)
    p.add_argument("--device", default="cuda")
    p.add_argument("--tiny", type=int, default=0)
    a = p.parse_args()
    a.work = os.path.abspath(a.work)
    if a.what == "collect" and not a.out:
        p.error("collect: --out FOLDER is missing")
    if a.what not in ("start", "run") and not os.path.isdir(a.work):
        p.error(f"--work {a.work}: no such folder")
    {"start": start, "run": run, "status": status, "finish": finish, "collect": collect}[a.what](a)


if __name__ == "__main__":
    main()
