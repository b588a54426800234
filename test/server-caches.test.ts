import ts from 'typescript'
import { expect, test } from 'vitest'
import { readSources } from './support/source-tree.ts'

const ROOT = 'packages/server/src/'

/**
 * Caches, queues and other keyed state that outlives a call, by file, in the order of its lines: its kind, and what it
 * keeps: its key. A key that depends on an owner's data contains the owner, or an id that belongs to one
 * owner alone: otherwise what one owner does changes what another is answered.
 */
const KEPT: Record<string, readonly (readonly [kind: string, keys: string])[]> = {
  'accounts/password-queue.ts': [
    ['KeyedSemaphore', 'passwords to hash: the network of the caller'],
    ['KeyedSemaphore', 'passwords to hash, where the account is known in the network: the account and the network'],
  ],
  'admission/in-flight.ts': [['Map', 'executions and bytes in flight: the account']],
  'admission/synchronous-work.ts': [['KeyedSemaphore', 'long work of the event loop: the account']],
  'admission/rate-limit.ts': [
    ['ExpiringMap', 'requests of a runtime: owner, runtime and kind of route'],
    ['ExpiringMap', 'examinations of endpoints: the owner'],
    ['ExpiringMap', 'capabilities that were not found: the network of the caller'],
  ],
  'admission/runtime-rate.ts': [
    ['Map', 'unread bodies of one runtime: the network of the caller'],
    ['ExpiringMap', 'requests of one runtime: its visitor'],
  ],
  'analytics/aggregation.ts': [['createCoalescer', 'the current aggregation: the same for all owners']],
  'billing/checkout.ts': [['KeyedSemaphore', 'requests to the payment provider: the owner']],
  'store/sqlite/folder-lock.ts': [['Set', 'locks of data folders: no key']],
  'store/postgres/pool.ts': [['WeakMap', 'when a connection was made: the connection']],
  'store/postgres/prepared-client.ts': [['Map', 'names of prepared statements: the text of a statement of ours']],
  'store/sqlite/sqlite-worker.js': [['Map', 'prepared statements: the text of a statement of ours']],
  'deployments/candidate-watch.ts': [
    ['Lru', 'executions of a candidate on this server: the runtime, which belongs to one owner'],
  ],
  'deployments/discovery.ts': [['Lru', 'published manifests: the runtime, which belongs to one owner']],
  'dispatch/answer-thread.ts': [['KeyedSemaphore', 'answers to be read: the owner']],
  'dispatch/connections.ts': [['Set', 'connections that wait for a read: the connection']],
  'dispatch/dispatch.ts': [['KeyedSemaphore', 'probes of endpoints: the owner']],
  'dispatch/endpoint-states.ts': [
    ['ExpiringMap', 'calls and health of an endpoint: the runtime, which belongs to one owner, and the address'],
  ],
  'dispatch/redact.ts': [['WeakMap', 'what removes a token: the token of one request']],
  'dispatch/sign.ts': [['WeakMap', 'imported signing keys: the secret']],
  'end-users/issuer-keys.ts': [
    ['Lru', 'keys of issuers: the owner, the runtime and where the keys are'],
    ['KeyedSemaphore', 'issuers that are asked for their keys: the owner'],
  ],
  'executions/node-lease.ts': [['Set', 'settings of other servers that were told of: name and values']],
  'executions/node-failure-detector.ts': [['Map', 'when a lease was seen: the server that holds it']],
  'executions/reconcile.ts': [
    ['Map', 'reconcile requests under way: the execution'],
    ['Map', 'accounts without room for a reconcile request, and until when: the account'],
  ],
  'executions/settlements.ts': [
    ['Set', 'outcomes that wait for the database: no key'],
    ['Lru', 'when a runtime was noted as seen: the runtime'],
  ],
  'executions/trace-recorder.ts': [
    ['Map', 'calls of one execution that were written down or have ended: the call'],
    ['Map', 'when calls of one execution began: the call'],
  ],
  'http/connections.ts': [['WeakMap', 'pending answers of a connection: the connection']],
  'http/account-queues.ts': [
    ['KeyedSemaphore', 'examinations of endpoints: the account'],
    ['KeyedSemaphore', 'requests on the owner and the deploy plane: the account'],
    ['KeyedSemaphore', 'those of them that read much: the account'],
    ['KeyedSemaphore', 'deployments: the account'],
  ],
  'http/discard-bodies.ts': [['KeyedSemaphore', 'bodies to discard: the account, or one for all callers without one']],
  'http/planes.ts': [
    ['createCoalescer', 'reads of runtimes: a deploy key'],
    ['createCoalescer', 'reads of owners: an account key'],
  ],
  'lib/coalesce.ts': [['Map', 'reads under way: the name that the caller gives']],
  'lib/expiring-map.ts': [
    ['Map', 'the newer entries: the key that the caller gives'],
    ['Map', 'the older entries: the key that the caller gives'],
  ],
  'lib/keyed-semaphore.ts': [
    ['Map', 'jobs that run: the key that the caller gives'],
    ['Map', 'jobs that wait: the key that the caller gives'],
    ['Lru', 'time used: the key that the caller gives'],
  ],
  'lib/lru.ts': [['Map', 'the entries: the key that the caller gives']],
  'mail/mailer.ts': [
    ['KeyedSemaphore', 'mails to send: the network of the caller'],
    ['Set', 'mails that were posted, as many as the queue takes: no key'],
  ],
  'mcp/tools.ts': [['WeakMap', 'published tools: one deployment, which is one runtime’s']],
  'model/chat-completions/request-body.ts': [['WeakMap', 'tools as the wire has them: the tools of one deployment']],
  'model/chat-completions/tool-calls.ts': [
    ['Map', 'calls of one answer without a name: the index of the call'],
    ['Set', 'calls of one answer with a name: the index of the call'],
  ],
  'model/to-prompt.ts': [['Map', 'calls of one conversation: the id that the caller gave']],
  'runtimes/serving-cache.ts': [
    ['Lru', 'runtimes: the hash of a key, or a runtime'],
    ['Lru', 'deployments: the runtime, which belongs to one owner'],
    ['createCoalescer', 'reads of runtimes: the hash of a key, or a runtime'],
    ['createCoalescer', 'reads of revisions: the runtime'],
  ],
  'schemas/compiled.ts': [
    ['Lru', 'schemas of owners: the owner'],
    ['Lru', 'compiled schemas of one owner: the schema'],
  ],
  'schemas/schemas.ts': [['KeyedSemaphore', 'manifests to judge and inputs to check: the owner']],
  'schemas/unevaluated.ts': [['Map', 'compiled parts of one schema: the part, or a pattern']],
  'streams/streamed-runs.ts': [
    ['Map', 'streamed executions: the execution, which belongs to one owner'],
    ['Map', 'ended ones whose events wait: the owner'],
  ],
  'usage/counter-names.ts': [['Lru', 'names of called capabilities: owner, runtime and hour or day']],
  'usage/rollup-rules.ts': [
    ['Map', 'executions of one batch: owner, runtime, project and hour'],
    ['Map', 'calls of one batch: owner, runtime, project, hour and capability'],
    ['Map', 'stored bytes of one batch: the owner'],
    ['Map', 'last uses of one batch: owner, runtime and version'],
    ['Map', 'what was served beside a candidate, of one batch: runtime, version and share'],
  ],
  'usage/storage-budget.ts': [['Lru', 'bytes stored: the account']],
  'webhooks/deliver.ts': [['Map', 'deliveries under way: the promise of each']],
}

// Kinds that keep something under keys wherever they are made.
const KINDS = new Set(['Lru', 'WeakMap', 'ExpiringMap', 'KeyedSemaphore', 'createCoalescer'])

/** The kind of each thing in a file that outlives a call, in order. */
function keptIn(path: string, text: string): string[] {
  const kept: string[] = []
  const visit = (node: ts.Node): void => {
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && ts.isIdentifier(node.expression)) {
      const kind = node.expression.text
      if (KINDS.has(kind) || (/^(Map|Set)$/.test(kind) && !node.arguments?.length && outlivesCall(node)))
        kept.push(kind)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return kept
}

// In a field, at the margin of a file, or in a function that makes what lives on. Elsewhere a map ends with its call.
// A map of a readonly type is a constant.
function outlivesCall({ parent }: ts.Node): boolean {
  if (ts.isPropertyDeclaration(parent)) return true
  if (!ts.isVariableDeclaration(parent) || parent.type?.getText().startsWith('Readonly')) return false
  const around = ts.findAncestor(parent, ts.isFunctionLike)
  return !around || (ts.isFunctionDeclaration(around) && /^create/.test(around.name?.text ?? ''))
}

// holds CAP-15
test('every cache of the server is listed with what its keys contain', () => {
  const sources = readSources().filter(({ path }) => path.startsWith(ROOT))
  const kept = sources.map(({ path, text }) => [path.slice(ROOT.length), keptIn(path, text)] as const)
  const found = kept.filter(([, kinds]) => kinds.length > 0)
  const listed = Object.entries(KEPT).map(([path, caches]) => [path, caches.map(([kind]) => kind)])
  const advice = 'Add the file to KEPT of this test, with what each key contains; a Map counts where it is a field.'
  expect(Object.fromEntries(found), advice).toEqual(Object.fromEntries(listed))
})
