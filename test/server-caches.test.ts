import { expect, test } from 'vitest'
import { readSources } from './support/source-tree.ts'

const ROOT = 'packages/server/src/'

/**
 * What outlives a call, by file, and what its keys contain. A key that depends on an owner's data contains the owner, or an
 * id that belongs to one owner alone: otherwise what one owner does changes what another is answered.
 */
const KEPT: Record<string, string> = {
  'admission/in-flight.ts': 'executions and bytes in flight: the account',
  'admission/runtime-rate.ts': 'requests of one runtime: its visitor, and the network of a body that is not read yet',
  'analytics/folding.ts': 'reads under way: the same for all owners',
  'lib/coalesce.ts': 'reads under way: the name that the caller gives',
  'database/prepared-client.ts': 'names of prepared statements: the text of a statement of ours',
  'database/postgres.ts': 'when a connection was made: the connection',
  'database/sqlite-thread.ts': 'who waits: a number of ours',
  'database/sqlite-worker.js': 'prepared statements: the text of a statement of ours',
  'deployments/discovery.ts': 'published manifests: the runtime, which belongs to one owner, with its revision',
  'dispatch/lanes.ts': 'answers that are read at once: the owner',
  'dispatch/redact.ts': 'what removes a token: the token of one request',
  'dispatch/sign.ts': 'imported signing keys: the secret',
  'executions/admissions.ts': 'refused admissions: the runtime, which belongs to one owner, its revision and the plane',
  'executions/node-watch-rules.ts': 'when a lease was seen: the server that holds it',
  'executions/settlements.ts': 'when a runtime was noted as seen: the runtime',
  'executions/trace-recorder.ts': 'calls of one execution: the call',
  'http/connections.ts': 'answers that a connection is owed: the connection',
  'http/docs-page.ts': 'files of the reference: the name of a file of ours',
  'http/planes.ts': 'who a request comes from: the request',
  'lib/expiring-map.ts': 'the map itself: the key that the caller gives',
  'lib/keyed-semaphore.ts': 'jobs that run and wait: the key that the caller gives, which is the owner',
  'lib/lru.ts': 'the map itself: the key that the caller gives',
  'model/chat-completions/request-body.ts': 'tools as the wire has them: the tools of one deployment',
  'model/chat-completions/tool-calls.ts': 'calls of one answer: the call',
  'runtimes/serving.ts': 'runtimes: the hash of a key, a runtime, or owner and runtime; deployments: the runtime',
  'schemas/compiled.ts': 'compiled schemas: the owner; of one owner: the schema',
  'usage/rollup-rules.ts': 'counters of one batch: owner, runtime and hour',
  'usage/storage-budget.ts': 'bytes stored: the account',
}

// Not what a function makes for itself: a map at the margin of a file, in a field, or of a kind that is kept.
const KEEPS =
  /new (?:Lru|WeakMap)\b|createCoalescer\(\)|^(?:export )?const \w+ = new Map\b|^ {2}(?:readonly )?#\w+ = new Map\b/m

test('every cache of the server is listed with what its keys contain', () => {
  const keeping = readSources().filter(({ path, text }) => path.startsWith(ROOT) && KEEPS.test(text))
  expect(keeping.length).toBeGreaterThan(10)
  const unlisted = keeping.map(({ path }) => path.slice(ROOT.length)).filter((path) => !(path in KEPT))
  expect(unlisted).toEqual([])
})
