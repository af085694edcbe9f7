#!/usr/bin/env python3
"""soak.py PROGRAM [PART=COUNT]…: works reelgrid-cli for long and takes away what it needs; says what was seen, exits 1 where
something was lost, half or grew. PROGRAM is reelgrid-cli. Parts, all with these counts where none is named:

  jobs=1000    small renders through one worker: memory, descriptors and threads stay within 5 %
  kills=30     renders that are killed at random moments and taken up again: the same frames as undisturbed
  workers=30   a worker that is killed while it renders, its jobs done by the next one
  compare=10   comparisons that are killed and run again with --reuse: the same clips
  suite=10     suites that are killed and run again: the same clips, a report of all of them
  tune=10      searches for a policy that are killed and run again: a whole policy or none before, one behind
  changed=5    a model whose files are changed or taken away while it renders: the same frames, or one line
  download=10  downloads from a hub on loopback that are killed and run again: whole files, no model before its end
  suspend=10   renders that are stopped and let go on by signals: the same frames
  disk=1       a full disk (a tmpfs of 1 MiB, as root) under a render, a profiled one and a download: one line, nothing half

Moments are drawn with SOAK_SEED (0). Everything lies in a new folder below TMPDIR."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = {"jobs": 1000, "kills": 30, "workers": 30, "compare": 10, "suite": 10, "tune": 10, "changed": 5, "download": 10, "suspend": 10, "disk": 1}
SMALL = ["--model", "demo", "--prompt", "a red car", "--device", "cpu", "--width", "64", "--height", "64"]
REQUEST = {"model": "demo", "prompt": "a red car", "device": "cpu", "width": 64, "height": 64, "num_frames": 5,
           "num_inference_steps": 2}
faults = []


def fault(text):
    faults.append(text)
    print("FAULT: " + text, flush=True)


def frames_of(clip):
    return json.loads((clip.with_suffix(".files") / "manifest.json").read_text())["frames_sha256"]


def run(program, words, **options):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def whole(program, words, clip):
    done = run(program, words)
    if done.returncode != 0:
        raise SystemExit(f"soak: an undisturbed run failed: {done.stderr}")
    return frames_of(clip)



class Worker:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.event()

    def event(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"type": "ended"}

    def send(self, job, request):
        self.process.stdin.write(json.dumps({"v": 1, "type": "render", "id": job, "request": request}) + "\n")
        self.process.stdin.flush()

    def outcome(self, job):
        while True:
            event = self.event()
            if event["type"] == "ended" or event.get("id") == job and event["type"] in ("done", "failed", "cancelled"):
                return event

    def held(self):
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        return {"memory": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                "descriptors": len(list((proc / "fd").iterdir()))}

    def end(self):
        self.process.stdin.close()
        if self.process.wait(60) != 0:
            fault(f"the worker ended with {self.process.returncode}")


def soak_jobs(program, folder, count, _):
    worker, seen = Worker(program), []
    backends = ["sdpa", "fav2", "sagev1", "fav3_fp8"]
    for number in range(count):
        # The same names over and over, so that results are replaced.
        request = REQUEST | {"output": str(folder / f"{number % 8}.mp4"), "seed": number, "attention_type": backends[number % 4]}
        worker.send(str(number), request)
        event = worker.outcome(str(number))
        if event["type"] != "done":
            fault(f"job {number}: {event}")
            break
        seen.append(worker.held())
    worker.end()
    tenth = max(1, len(seen) // 10)
    for kind in ("memory", "threads", "descriptors"):
        first = statistics.median(held[kind] for held in seen[tenth:2 * tenth] or seen)
        last = statistics.median(held[kind] for held in seen[-tenth:])
        print(f"  {kind}: {first:.0f} after a tenth of the jobs, {last:.0f} at the end ({last / first - 1:+.1%})")
        if last > 1.05 * first:
            fault(f"{kind} grew by more than 5 %")
    left = sorted(path.name for path in folder.iterdir() if path.suffix not in (".mp4", ".files"))
    if left:
        fault(f"left beside the clips: {left}")


def killed_after(program, words, seconds):
    process = subprocess.Popen([program, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return process.returncode


def soak_kills(program, folder, count, moments):
    words = ["render", *SMALL, "--num-frames", "9", "--num-inference-steps", "6", "--save-latents-every", "1", "--output"]
    clip = folder / "undisturbed.mp4"
    begin = time.monotonic()
    frames = whole(program, [*words, clip], clip)
    lasts, killed = time.monotonic() - begin, 0
    for number in range(count):
        clip = folder / f"{number}.mp4"
        for _ in range(3):
            killed += killed_after(program, [*words, clip, "--resume"], moments.uniform(0, lasts)) < 0
            if clip.exists() and frames_of(clip) != frames:
                fault(f"{clip} has other frames")
        done = run(program, [*words, clip, "--resume"])
        if done.returncode != 0 or frames_of(clip) != frames:
            fault(f"{clip}: {done.stderr.strip() or 'other frames'}")
    print(f"  {killed} kills, {count} clips")


def soak_workers(program, folder, count, moments):
    request = REQUEST | {"num_inference_steps": 20}
    worker = Worker(program)
    clip, killed = folder / "undisturbed.mp4", 0
    worker.send("first", request | {"output": str(clip)})
    begin = time.monotonic()
    worker.outcome("first")
    lasts, frames = time.monotonic() - begin, frames_of(clip)
    for number in range(count):
        clip = folder / f"{number}.mp4"
        worker.send("lost", request | {"output": str(clip)})
        time.sleep(moments.uniform(0, lasts))
        worker.process.kill()
        worker.process.wait()
        killed += 1
        if clip.exists() and frames_of(clip) != frames:
            fault(f"{clip} has other frames")
        worker = Worker(program)
        worker.send("again", request | {"output": str(clip)})
        event = worker.outcome("again")
        if event["type"] != "done" or frames_of(clip) != frames:
            fault(f"{clip}: {event}")
    worker.end()
    print(f"  {killed} kills, {count} clips")


def clips_in(output):
    return {str(clip.relative_to(output)): frames_of(clip) for clip in output.rglob("*.mp4") if clip.with_suffix(".files").is_dir()}


def soak_clips(program, folder, count, moments, words, again=()):
    """`words` and a folder for the clips, killed twice and run again with `again`: those of an undisturbed run."""
    begin = time.monotonic()
    if (done := run(program, [*words, folder / "undisturbed"])).returncode != 0:
        raise SystemExit(f"soak: {done.stderr}")
    lasts, killed = time.monotonic() - begin, 0
    expected = clips_in(folder / "undisturbed")
    for number in range(count):
        output = folder / str(number)
        for _ in range(2):
            killed += killed_after(program, [*words, output, *again], moments.uniform(0, lasts)) < 0
        done = run(program, [*words, output, *again])
        if done.returncode != 0 or clips_in(output) != expected or not (output / "report.html").exists():
            fault(f"{output}: {done.stderr.strip() or 'other clips, or no report'}")
    print(f"  {killed} kills, {count} runs of {len(expected)} clips")


def soak_compare(program, folder, count, moments):
    soak_clips(program, folder, count, moments,
               ["compare", *SMALL, "--num-frames", "5", "--num-inference-steps", "2", "--types", "sdpa,fav2,sagev1", "--output-dir"],
               ["--reuse"])


def soak_suite(program, folder, count, moments):
    suite = folder / "suite.json"
    suite.write_text(json.dumps({"model": "demo", "prompts": ["a red car", "a rocket"], "seeds": [1], "types": ["sdpa", "fav2"],
                                 "device": "cpu", "width": 64, "height": 64, "num_frames": 5, "num_inference_steps": 2}))
    soak_clips(program, folder, count, moments, ["suite", suite, "--output-dir"])


def soak_tune(program, folder, count, moments):
    words = ["tune", *SMALL, "--num-frames", "5", "--num-inference-steps", "2", "--backends", "sdpa,sagev1", "--budget", "psnr>=20",
             "--max-renders", "2", "--output"]
    begin = time.monotonic()
    if (done := run(program, [*words, folder / "undisturbed/policy.json"])).returncode != 0:
        raise SystemExit(f"soak: {done.stderr}")
    lasts, killed = time.monotonic() - begin, 0

    def is_whole(policy):
        try:
            return isinstance(json.loads(policy.read_text()), (dict, list))
        except ValueError:
            return False

    for number in range(count):
        policy = folder / str(number) / "policy.json"
        for _ in range(2):
            killed += killed_after(program, [*words, policy], moments.uniform(0, lasts)) < 0
            if policy.exists() and not is_whole(policy):
                fault(f"{policy} is half")
        done = run(program, [*words, policy])
        if done.returncode != 0 or not is_whole(policy):
            fault(f"{policy}: {done.stderr.strip() or 'no policy'}")
    print(f"  {killed} kills, {count} policies")


def soak_changed(program, folder, count, moments):
    words = ["--prompt", "a red car", "--device", "cpu", "--width", "64", "--height", "64", "--num-frames", "9",
             "--num-inference-steps", "6", "--output"]
    original = ROOT / "resources/models/wan-demo"
    begin, clip = time.monotonic(), folder / "undisturbed.mp4"
    frames = whole(program, ["render", "--model", original, *words, clip], clip)
    lasts, ends = time.monotonic() - begin, {"clips": 0, "refusals": 0}
    for number in range(count):
        for change in ("cut", "overwritten", "removed"):
            model, clip = folder / f"model-{number}-{change}", folder / f"{number}-{change}.mp4"
            shutil.copytree(original, model, ignore=shutil.ignore_patterns("recipe", "*.md"))
            process = subprocess.Popen([program, "render", "--model", model, *map(str, [*words, clip])], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            time.sleep(moments.uniform(0, lasts))
            for weights in model.rglob("*.safetensors"):
                if change == "removed":
                    weights.unlink()
                elif change == "cut":
                    os.truncate(weights, weights.stat().st_size // 2)
                else:
                    size = weights.stat().st_size
                    with open(weights, "r+b") as file:
                        file.seek(size // 2)
                        file.write(os.urandom(size // 4))
            errors = process.communicate(timeout=600)[1].strip()
            if process.returncode == 0:
                ends["clips"] += 1
                if frames_of(clip) != frames:
                    fault(f"{clip} has other frames: {change}")
            elif process.returncode == 1 and errors and not clip.exists():
                ends["refusals"] += 1
            else:
                fault(f"{clip}: exit {process.returncode}, {change}: {errors or 'no line'}")
            shutil.rmtree(model)
    print(f"  {ends['clips']} clips, {ends['refusals']} refusals")


class Hub:
    """The tests' hub with a model of which the demo's folder is the content."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "resources/models/wan-demo", folder / "somebody/model", ignore=shutil.ignore_patterns("recipe", "*.md"))
        self.process = subprocess.Popen([sys.executable, ROOT / "tests/hub/server.py", folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def environment(self, cache):
        return os.environ | {"HF_ENDPOINT": f"http://127.0.0.1:{self.port}", "HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "0"}

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


def hashes_of(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


def downloaded(cache):
    snapshots = list(cache.glob("models--*/snapshots/*/model_index.json"))
    return hashes_of(snapshots[0].parent) if snapshots else None


def soak_download(program, folder, count, moments):
    hub = Hub(folder / "hub")
    words = ["models", "download", "somebody/model"]
    begin = time.monotonic()
    if (done := run(program, words, env=hub.environment(folder / "undisturbed"))).returncode != 0:
        raise SystemExit(f"soak: {done.stderr}")
    lasts, expected, killed = time.monotonic() - begin, downloaded(folder / "undisturbed"), 0
    for number in range(count):
        cache = folder / str(number)
        for _ in range(3):
            process = subprocess.Popen([program, *words], env=hub.environment(cache), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0, lasts))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            if downloaded(cache) not in (None, expected):
                fault(f"{cache}: a model before it is whole")
        done = run(program, words, env=hub.environment(cache))
        if done.returncode != 0 or downloaded(cache) != expected:
            fault(f"{cache}: {done.stderr.strip() or 'other files'}")
        shutil.rmtree(cache)
    hub.end()
    print(f"  {killed} kills, {count} models of {len(expected)} files")


def soak_suspend(program, folder, count, moments):
    words = ["render", *SMALL, "--num-frames", "9", "--num-inference-steps", "6", "--output"]
    clip, stops = folder / "undisturbed.mp4", 0
    frames = whole(program, [*words, clip], clip)
    for number in range(count):
        clip = folder / f"{number}.mp4"
        process = subprocess.Popen([program, *map(str, [*words, clip])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            time.sleep(moments.uniform(0.01, 0.3))
            process.send_signal(signal.SIGSTOP)
            time.sleep(moments.uniform(0.01, 0.2))
            process.send_signal(signal.SIGCONT)
            stops += 1
        if process.returncode != 0 or frames_of(clip) != frames:
            fault(f"{clip}: {process.stderr.read().strip() or 'other frames'}")
    print(f"  {stops} stops, {count} clips")


def soak_disk(program, folder, count, _):
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        print(f"  left out: no small disk could be mounted ({mounted.stderr.strip()})")
        return
    hub = Hub(folder / "hub")
    small = [*SMALL, "--num-frames", "5", "--num-inference-steps", "2", "--output"]
    tried = [("render", ["render", *small, disk / "a.mp4"], None),
             ("profile", ["render", *small, folder / "b.mp4", "--profile-output", disk / "traces",
                          "--profile-wait", "0", "--profile-warmup", "0", "--profile-active", "1"], None),
             ("download", ["models", "download", "somebody/model"], hub.environment(disk / "cache"))]
    try:
        wanted = {"a.mp4", "trace_rank0.json.gz", "model_index.json"}
        for _ in range(count):
            for room in (0, 4096, 40960, 200000):
                for name, words, environment in tried:
                    for path in disk.iterdir():
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                    with open(disk / "filler", "wb", buffering=0) as filler:
                        free = shutil.disk_usage(disk).free
                        filler.write(bytes(max(0, free - room)))
                    done = run(program, words, env=environment)
                    # Under its final name; a folder for a trace may have been made.
                    left = [path.name for path in disk.rglob("*") if path.is_file() and path.name in wanted]
                    lines = done.stderr.strip().splitlines()
                    said = bool(lines) and any(word in lines[-1] for word in ("space", "are free", "can't write"))
                    if done.returncode == 0 and not left:
                        fault(f"{name} with {room} bytes of room: exit 0, but nothing is there")
                    if done.returncode not in (0, 1) or done.returncode == 1 and (left or not said):
                        fault(f"{name} with {room} bytes of room: exit {done.returncode}, left {left}: {lines[-1:]}")
                    print(f"  {name}, {room} bytes of room: exit {done.returncode}: {lines[-1] if done.returncode else 'it fits'}")
    finally:
        hub.end()
        subprocess.run(["umount", disk], check=False)


def main():
    program, asked = str(pathlib.Path(sys.argv[1]).resolve()), dict(word.split("=", 1) for word in sys.argv[2:])
    counts = {part: int(count) for part, count in asked.items()} or COUNTS
    if unknown := counts.keys() - COUNTS.keys():
        sys.exit(f"soak: {', '.join(unknown)}: one of {', '.join(COUNTS)} was needed")
    moments = random.Random(int(os.environ.get("SOAK_SEED", "0")))
    with tempfile.TemporaryDirectory(prefix="reelgrid_soak_") as top:
        for part, count in counts.items():
            folder = pathlib.Path(top) / part
            folder.mkdir()
            begin = time.monotonic()
            print(f"{part}: {count}", flush=True)
            globals()[f"soak_{part}"](program, folder, count, moments)
            print(f"  {time.monotonic() - begin:.0f} s", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
