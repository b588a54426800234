/**
 * Servers around the page's receivers, which keep nonces for as long as they run. Each takes PORT, RUNTIME_ID and SECRET from
 * its environment, and knows no capability: it answers an accepted call 404.
 */
export const RECEIVER_SERVERS = {
  python: {
    file: 'server.py',
    build: null,
    command: ['python3', 'server.py'],
    code: `
import json, os, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from verify_call import verify_call

lock, seen = threading.Lock(), set()

def claim(nonce, expires_at):
    with lock:
        is_first = nonce not in seen
        seen.add(nonce)
        return is_first

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        refusal = verify_call(headers, body, runtime_id=os.environ["RUNTIME_ID"],
            secrets=[os.environ["SECRET"]], claim_nonce=claim)
        answer = json.dumps({"error": refusal or "unknown_capability"}).encode()
        self.send_response(401 if refusal else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
`,
  },
  php: {
    file: 'server.php',
    build: null,
    command: ['php', '-d', 'display_errors=stderr', 'server.php'],
    code: `<?php
require __DIR__ . '/verify_call.php';
if (PHP_SAPI === 'cli') {
    pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);
}
$claim = fn (string $nonce, int $expiresAt): bool => @fopen(__DIR__ . '/nonce-' . hash('sha256', $nonce), 'x') !== false;
$headers = array_change_key_case(getallheaders());
$refusal = verify_call($headers, file_get_contents('php://input'), getenv('RUNTIME_ID'), [getenv('SECRET')], $claim);
http_response_code($refusal === null ? 404 : 401);
header('content-type: application/json');
echo json_encode(['error' => $refusal ?? 'unknown_capability']);
`,
  },
  go: {
    file: 'main.go',
    build: ['go', 'build', '-o', 'server', '.'],
    command: ['./server'],
    code: `package main

import (
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"receiver/svc"
)

func main() {
	var seen sync.Map
	receiver := svc.Receiver{
		RuntimeID: os.Getenv("RUNTIME_ID"),
		Secrets:   []string{os.Getenv("SECRET")},
		ClaimNonce: func(nonce string, expiresAt int64) (bool, error) {
			_, isKnown := seen.LoadOrStore(nonce, true)
			return !isKnown, nil
		},
		Now: time.Now,
	}
	serve := func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(http.MaxBytesReader(w, request.Body, 2<<20))
		verdict, err := receiver.VerifyCall(request.Header, body)
		w.Header().Set("content-type", "application/json")
		if err != nil || verdict != "" {
			w.WriteHeader(401)
			io.WriteString(w, "{\\"error\\":\\""+verdict+"\\"}")
			return
		}
		w.WriteHeader(404)
		io.WriteString(w, "{\\"error\\":\\"unknown_capability\\"}")
	}
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(serve)))
}
`,
  },
} as const
