/**
 * Programs around the page's receivers: each reads cases from its standard input and prints, for each case, the verdict on
 * each request and what the hook for nonces was asked.
 */
export const RECEIVER_PROGRAMS = {
  python: {
    file: 'main.py',
    command: ['python3', 'main.py'],
    code: `
import base64, json, sys
from verify_call import verify_call

answers = []
for case in json.load(sys.stdin):
    seen, claims, verdicts = set(), [], []
    def claim(nonce, expires_at):
        claims.append([nonce, expires_at])
        is_first = nonce not in seen
        seen.add(nonce)
        return is_first
    for request in case["requests"]:
        verdicts.append(verify_call(request["headers"], base64.b64decode(request["bodyBase64"]),
            runtime_id=case["runtimeId"], secrets=case["secrets"], claim_nonce=claim, now_ms=request["nowMs"]))
    answers.append({"verdicts": verdicts, "claims": claims})
json.dump(answers, sys.stdout)
`,
  },
  php: {
    file: 'main.php',
    command: ['php', '-d', 'display_errors=stderr', 'main.php'],
    code: `<?php
require __DIR__ . '/verify_call.php';
$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $case) {
    $seen = []; $claims = []; $verdicts = [];
    $claim = function (string $nonce, int $expiresAt) use (&$seen, &$claims): bool {
        $claims[] = [$nonce, $expiresAt];
        $isFirst = !isset($seen[$nonce]);
        $seen[$nonce] = true;
        return $isFirst;
    };
    foreach ($case['requests'] as $request) {
        $verdicts[] = verify_call($request['headers'], base64_decode($request['bodyBase64']),
            $case['runtimeId'], $case['secrets'], $claim, $request['nowMs']);
    }
    $answers[] = ['verdicts' => $verdicts, 'claims' => $claims];
}
echo json_encode($answers);
`,
  },
  go: {
    file: 'main.go',
    command: ['go', 'run', '.'],
    code: `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"receiver/svc"
)

type request struct {
	Headers    map[string]string
	BodyBase64 []byte
	NowMs      int64
}

type answer struct {
	Verdicts []*string \`json:"verdicts"\`
	Claims   [][]any   \`json:"claims"\`
}

func main() {
	var cases []struct {
		RuntimeID string
		Secrets   []string
		Requests  []request
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := []answer{}
	for _, each := range cases {
		seen := map[string]bool{}
		given := answer{Verdicts: []*string{}, Claims: [][]any{}}
		now := int64(0)
		receiver := svc.Receiver{
			RuntimeID: each.RuntimeID,
			Secrets:   each.Secrets,
			ClaimNonce: func(nonce string, expiresAt int64) (bool, error) {
				given.Claims = append(given.Claims, []any{nonce, expiresAt})
				isFirst := !seen[nonce]
				seen[nonce] = true
				return isFirst, nil
			},
			Now: func() time.Time { return time.UnixMilli(now) },
		}
		for _, one := range each.Requests {
			now = one.NowMs
			header := http.Header{}
			for name, value := range one.Headers {
				header.Set(name, value)
			}
			verdict, err := receiver.VerifyCall(header, one.BodyBase64)
			if err != nil {
				panic(err)
			}
			if verdict == "" {
				given.Verdicts = append(given.Verdicts, nil)
			} else {
				given.Verdicts = append(given.Verdicts, &verdict)
			}
		}
		answers = append(answers, given)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
`,
  },
} as const
