"""A hub on loopback that behaves as its repositories' names say: server.py FOLDER.

FOLDER holds owner/name/files. Prints its port, ends when its standard input does. Every request is logged to FOLDER/log as
one JSON object a line: path, range, and whether it brought a token.
"""
import hashlib
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

folder = sys.argv[1]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
served = {}  # path: how often it was asked for
log_lock = threading.Lock()


def git_hash(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body, headers=(), length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def answer_bare(self, status, header, body):
        """With a header as it is written here: send_header puts a blank behind the colon."""
        self.wfile.write(b"HTTP/1.1 " + status + b"\r\n" + header + b"\r\nContent-Length:%d\r\n\r\n" % len(body) + body)

    def hang_up(self):
        self.close_connection = True

    def do_GET(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        with log_lock:
            count = served[path] = served.get(path, 0) + 1
            with open(os.path.join(folder, "log"), "a") as log:
                log.write(json.dumps({"path": path, "range": self.headers.get("Range", ""),
                                      "token": self.headers.get("Authorization", ""),
                                      "host": self.headers.get("Host", "").split(":")[0]}) + "\n")
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            self.list_files("/".join(parts[2:4]), count)
        elif parts[0] == "cdn":
            self.send_file("/".join(parts[1:3]), "/".join(parts[3:]), count)
        elif len(parts) > 4 and parts[2] == "resolve" and parts[3] == COMMIT:
            repository, file = "/".join(parts[:2]), "/".join(parts[4:])
            if file.endswith(".safetensors"):  # as large files are: from another host
                port = self.server.server_address[1]
                self.answer(302, b"", [("Location", f"http://localhost:{port}/cdn/{repository}/{file}")])
            else:
                self.send_file(repository, file, count)
        else:
            self.answer(404, b"no such page")

    def list_files(self, repository, count):
        root = os.path.join(folder, repository)
        if not os.path.isdir(root):
            return self.answer(404, b"no such model")
        if repository.endswith("private") and self.headers.get("Authorization") != "Bearer secret":
            return self.answer(401, b"log in")
        if repository.endswith("busy") and count < 3:
            return self.answer(503, b"later")
        if repository.endswith("later") and count < 2:
            return self.answer(429, b"too many", [("Retry-After", "2")])
        if repository.endswith("next-year"):
            return self.answer(429, b"too many", [("Retry-After", "30000000")])
        if repository.endswith("next-age"):  # beyond 64 bits, and without a blank
            return self.answer_bare(b"429 Too Many Requests", b"RETRY-AFTER:1180591620717411303424", b"too many")
        if repository.endswith("next-century"):
            return self.answer(429, b"too many", [("Retry-After", "Fri, 31 Dec 2099 23:59:59 GMT")])
        if repository.endswith("list-drops"):
            self.answer(200, b"{", (), 100)
            return self.hang_up()
        if repository.endswith("long-line"):
            try:
                return self.answer_bare(b"200 OK", b"X-Long:" + bytes(5_000_000).replace(b"\0", b"x"), b"{}")
            except OSError:
                return self.hang_up()
        if repository.endswith(("endless", "circling")):
            self.send_response(500 if repository.endswith("endless") else 302)
            self.send_header("Location", self.path)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                return self.hang_up()
        siblings = []
        for where, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                path = os.path.join(where, name)
                data = open(path, "rb").read()
                entry = {"rfilename": os.path.relpath(path, root), "size": len(data), "blobId": git_hash(data)}
                if name.endswith(".safetensors"):
                    entry["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
                siblings.append(entry)
        if repository.endswith("escape"):
            siblings.append({"rfilename": "transformer/../../../evil.json", "size": 1, "blobId": git_hash(b"x")})
        if repository.endswith("huge"):
            for name in ("one.json", "two.json"):
                siblings.append({"rfilename": "vae/" + name, "size": 2**63, "blobId": git_hash(name.encode())})
        if repository.endswith("many"):
            siblings += [{"rfilename": "transformer/%05d.json" % i, "size": 1, "blobId": "%040x" % i} for i in range(99_000)]
        self.answer(200, json.dumps({"sha": COMMIT, "siblings": siblings}).encode())

    def send_file(self, repository, file, count):
        path = os.path.join(folder, repository, file)
        if not os.path.isfile(path):
            return self.answer(404, b"no such file")
        data = open(path, "rb").read()
        kind = repository.rsplit("/", 1)[1] if file.endswith(".safetensors") else "good"
        begin = 0
        if self.headers.get("Range") and kind != "norange":
            begin = int(self.headers["Range"].removeprefix("bytes=").split("-")[0])
        if kind == "elsewhere" and begin:
            begin = 130_000
        if kind == "short":
            data = data[:len(data) // 2]  # and says so
        if kind == "long":
            data += b"more"
        if kind == "wrong" or (kind == "once-wrong" and count == 1):
            data = bytes(byte ^ 1 for byte in data)
        if begin >= len(data):
            return self.answer(416, b"")
        if kind == "asks-600":
            return self.answer(429, b"too many", [("Retry-After", "600")])
        status = 206 if begin else 200
        headers = [("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")] if begin else []
        rest = data[begin:]
        if kind == "no-blanks" and begin:
            bare = b"CONTENT-RANGE:Bytes %d-%d/%d" % (begin, len(data) - 1, len(data))
            return self.answer_bare(b"206 Partial Content", bare, rest)
        if kind in ("drops", "no-blanks") or (kind == "norange" and count == 1):
            self.answer(status, rest[:len(data) // 3], headers, len(rest))
            return self.hang_up()
        if kind in ("breaks", "one-byte"):
            self.answer(status, rest[:40_000 if kind == "breaks" else 1], headers, len(rest))
            return self.hang_up()
        if kind == "crawls" or (kind == "trickles" and count == 1):
            self.answer(status, b"", headers, len(rest))
            try:
                for at in range(0, 300):  # 50 bytes a second
                    self.wfile.write(rest[10 * at:10 * at + 10])
                    self.wfile.flush()
                    time.sleep(0.2)
            except OSError:
                pass
            return self.hang_up()
        if kind == "stalls" and count == 1:
            self.answer(status, rest[:len(data) // 3], headers, len(rest))
            self.wfile.flush()
            time.sleep(3)
            return self.hang_up()
        self.answer(status, rest, headers)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
