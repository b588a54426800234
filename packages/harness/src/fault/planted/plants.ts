import type { Plant } from './plant.ts'

/** The known bugs, each aimed at one promise. They are planted in compiled files: a changed line wants its edit changed. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'unfenced-settlement',
    breaks: 'an execution that another server has ended is not overwritten',
    edits: [
      {
        file: 'executions/settlement-store.js',
        find: "executions.status = 'running' and executions.node_id = excluded.node_id",
        replace: 'true',
      },
    ],
    foundBy: {
      scenario: 'pauses',
      engine: 'postgres',
      scale: 0.3,
      check: 'executions taken over that were overwritten',
    },
  },
  {
    name: 'unlocked-buckets',
    breaks: 'the quota is exact on any number of servers',
    edits: [{ file: 'executions/admission-store.js', find: "forUpdateOf('allowances')", replace: "''" }],
    foundBy: { scenario: 'quota', engine: 'postgres', scale: 0.1, check: 'repeats in which the ' },
  },
  {
    name: 'charged-by-halves',
    breaks: 'a refusal takes from no bucket',
    edits: [
      {
        file: 'usage/rules.js',
        find: 'taken.set(bucket, result.fullAt);',
        replace: '{ taken.set(bucket, result.fullAt); buckets.set(bucket, result.fullAt); }',
      },
      {
        file: 'executions/admission-store.js',
        find: 'const granted = grant(own, draws, now);',
        replace: 'const granted = grant(own, draws, now); if (!granted.ok) writeDrawn(request, draws, own, changed);',
      },
      {
        file: 'executions/admission-store.js',
        find: 'async function lockBuckets(',
        replace: `function writeDrawn(request, draws, own, changed) { for (const { bucket } of draws) if (own.has(bucket)) changed.set(request.ownerId + bucket, { owner_id: request.ownerId, bucket, full_at: own.get(bucket) }); }
async function lockBuckets(`,
      },
    ],
    foundBy: { scenario: 'refusals-are-free', engine: 'sqlite', scale: 0.05, check: 'what ' },
  },
  {
    name: 'slot-never-released',
    breaks: 'what a call takes is given back when it ends',
    edits: [{ file: 'dispatch/lanes.js', find: 'lane.underWay -= 1;', replace: '' }],
    foundBy: { scenario: 'revocation', engine: 'sqlite', scale: 0.6, check: 'calls that reached the endpoint' },
  },
  {
    name: 'answer-before-settlement',
    breaks: 'what was acknowledged is stored',
    edits: [
      {
        file: 'executions/settle.js',
        find: 'const isSettled = await deps.settlements.settle({',
        replace: 'const isSettled = true; void deps.settlements.settle({',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.06, check: 'acknowledged executions lost' },
  },
  {
    name: 'usage-counted-twice',
    breaks: 'usage is what was executed',
    edits: [
      {
        file: 'executions/settlement-store.js',
        find: 'settled.map(usageOf)',
        replace: 'settled.concat(settled).map(usageOf)',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.005, check: 'differences between usage and executions' },
  },
  {
    name: 'interrupted-usage-lost',
    breaks: 'what was interrupted is counted too',
    edits: [
      { file: 'executions/lease-store.js', find: 'journalUsage(tx, ended.map(', replace: 'journalUsage(tx, [].map(' },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'differences between usage and executions' },
  },
  {
    name: 'leftovers-kept-at-start',
    breaks: 'what ran when a server died is ended when it starts again',
    edits: [
      {
        file: 'executions/node-lease.js',
        find: "await sweep(deps.engine === 'sqlite');",
        replace: 'await sweep(false);',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'until a restarted server had ended them' },
  },
  {
    name: 'lease-never-renewed',
    breaks: 'a server that lives holds its lease, and takes over from those that do not',
    edits: [
      {
        file: 'server.js',
        find: 'setInterval(() => void renew(deps), renewalMs)',
        replace: 'setInterval(() => undefined, renewalMs)',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'postgres', scale: 0.01, check: 'operations that a living server left' },
  },
  {
    name: 'living-taken-for-dead',
    breaks: 'no living execution is failed',
    edits: [
      {
        file: 'executions/lease-store.js',
        find: "others.where('lease_until', '<', now)",
        replace: "others.where('lease_until', '>', now)",
      },
    ],
    foundBy: { scenario: 'kills', engine: 'postgres', scale: 0.02, check: 'executions failed without a cause' },
  },
  {
    name: 'retry-after-sending',
    breaks: 'a call has one effect at most',
    edits: [
      {
        file: 'dispatch/exchange.js',
        find: '{ failure: failureAfterSending(code), reason: code }',
        replace: '{ failure: failureAfterSending(code), reason: code, mayRetry: true }',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.02, check: 'calls with more than one effect' },
  },
  {
    name: 'call-not-written-first',
    breaks: 'a call is written down before it is sent',
    edits: [{ file: 'executions/execute.js', find: 'await deps.callLog.record({', replace: 'await Promise.resolve({' }],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.02, check: 'effects of calls that were not written down' },
  },
  {
    name: 'revision-not-confirmed',
    breaks: 'a revoked key opens nothing, whatever a server remembers',
    edits: [{ file: 'executions/admission-store.js', find: 'runtime.revision !== request.revision', replace: 'false' }],
    foundBy: { scenario: 'revocation', engine: 'sqlite', scale: 0.1, check: 'calls with a revoked key' },
  },
  {
    name: 'cut-stream-taken-for-whole',
    breaks: "a model's answer without its end is a failure",
    edits: [
      { file: 'model/provider-model.js', find: 'end?.raw === undefined', replace: 'false' },
      { file: 'model/provider-model.js', find: 'throw part.error;', replace: 'return null;' },
    ],
    foundBy: { scenario: 'model-faults', engine: 'sqlite', scale: 0.05, check: null },
  },
  {
    name: 'tokens-of-broken-turns-lost',
    breaks: 'tokens are metered however a turn ends',
    edits: [
      {
        file: 'agent/run-agent.js',
        find: 'usage: wholeUsage(error.usage)',
        replace: 'usage: { inputTokens: 0, outputTokens: 0 }',
      },
    ],
    foundBy: { scenario: 'model-faults', engine: 'sqlite', scale: 0.05, check: null },
  },
  {
    name: 'caller-never-missed',
    breaks: 'who leaves ends what was begun for them',
    edits: [
      {
        file: 'http/client-gone.js',
        find: 'if (!reply.raw.writableFinished)',
        replace: 'if (reply.raw.closed === undefined)',
      },
    ],
    foundBy: { scenario: 'leaving-clients', engine: 'sqlite', scale: 0.02, check: null },
  },
  {
    name: 'deadline-never-comes',
    breaks: 'a call ends with its time limit',
    edits: [
      {
        file: 'dispatch/call-limit.js',
        find: 'setTimeout(() => end(FAILURES.timeout), ms)',
        replace: 'setTimeout(() => undefined, ms)',
      },
    ],
    foundBy: { scenario: 'endpoint-faults', engine: 'sqlite', scale: 0.02, check: null },
  },
  {
    name: 'done-left-out',
    breaks: 'every stream ends in done',
    edits: [
      {
        file: 'executions/answer-execution.js',
        find: "await stream.send({ type: 'done', ...result });",
        replace: "if (result.status === 'completed') await stream.send({ type: 'done', ...result });",
      },
    ],
    foundBy: { scenario: 'shutdown', engine: 'sqlite', scale: 0.02, check: null },
  },
  {
    name: 'signed-with-one-secret',
    breaks: 'a rotation fails no call',
    edits: [{ file: 'dispatch/attempts.js', find: 'reply.status === 401', replace: 'reply.status === 0' }],
    foundBy: { scenario: 'rotation', engine: 'sqlite', scale: 0.05, check: null },
  },
]
