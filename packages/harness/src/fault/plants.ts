import type { Plant } from '../support/planted/plant.ts'

/** The known bugs, each aimed at one promise. They are planted in compiled files: a changed line wants its edit changed. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'unfenced-settlement',
    breaks: 'an execution that another server has ended is not overwritten',
    edits: [
      {
        file: 'executions/postgres-batch-store.js',
        from: 'and executions.node_id = $3 and executions.completed_at is null',
        to: 'and $3::text is not null',
      },
      { file: 'executions/postgres-batch-store.js', from: 'if (!held) {', to: 'if (held === null) {' },
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
    edits: [
      {
        file: 'executions/postgres-batch-store.js',
        from: 'order by owner_id, bucket for update',
        to: 'order by owner_id, bucket',
      },
    ],
    foundBy: { scenario: 'quota', engine: 'postgres', scale: 0.1, check: 'repeats in which the ' },
  },
  {
    name: 'charged-by-halves',
    breaks: 'a refusal takes from no bucket',
    edits: [
      {
        file: 'usage/grant.js',
        from: 'taken.set(bucket, result.fullAt);',
        to: '{ taken.set(bucket, result.fullAt); buckets.set(bucket, result.fullAt); }',
      },
    ],
    foundBy: { scenario: 'refusals-are-free', engine: 'sqlite', scale: 0.05, check: 'what ' },
  },
  {
    name: 'slot-never-released',
    breaks: 'what a call takes is given back when it ends',
    edits: [{ file: 'dispatch/lanes.js', from: 'lane.underWay -= 1;', to: '' }],
    foundBy: { scenario: 'revocation', engine: 'sqlite', scale: 0.6, check: 'calls that reached the endpoint' },
  },
  {
    name: 'answer-before-settlement',
    breaks: 'what was acknowledged is stored',
    edits: [
      {
        file: 'executions/settle.js',
        from: 'const isSettled = await deps.settlements.settle(settlement);',
        to: 'const isSettled = true; void deps.settlements.settle(settlement);',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.06, check: 'acknowledged executions lost' },
  },
  {
    name: 'usage-counted-twice',
    breaks: 'usage is what was executed',
    edits: [
      {
        file: 'executions/sqlite-batch.js',
        from: 'JSON.stringify(usages)',
        to: 'JSON.stringify(usages.concat(usages))',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.005, check: 'differences between usage and executions' },
  },
  {
    name: 'fold-lost',
    breaks: 'what leaves the journal of usage is in the counters',
    edits: [{ file: 'usage/journal-store.js', from: 'await addToCounters(tx, rollUp);', to: '' }],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'differences between usage and executions' },
  },
  {
    name: 'folded-twice',
    breaks: 'what leaves the journal of usage is counted once',
    edits: [
      {
        file: 'usage/journal-store.js',
        from: 'await addToCounters(tx, rollUp);',
        to: 'await addToCounters(tx, rollUp); await addToCounters(tx, rollUp);',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'differences between usage and executions' },
  },
  {
    name: 'run-before-admission',
    breaks: 'an execution is stored before it has an effect',
    edits: [
      {
        file: 'executions/admissions.js',
        from: 'const admission = await admitSurely(deps, request);',
        to: `const admission = { outcome: 'admitted', tier: 'pro', storedBytes: 0 }; void admitSurely(deps, request).catch(() => {});`,
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.06, check: 'executions failed without a cause' },
  },
  {
    name: 'interrupted-usage-lost',
    breaks: 'what was interrupted is counted too',
    edits: [
      {
        file: 'executions/sqlite-batch.js',
        from: 'if (usages.length > 0)',
        to: 'if (!isTakeOver && usages.length > 0)',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'differences between usage and executions' },
  },
  {
    name: 'leftovers-kept-at-start',
    breaks: 'what ran when a server died is ended when it starts again',
    edits: [
      {
        file: 'executions/node-lease.js',
        from: "'all' : deadOnes()",
        to: "'none' : deadOnes()",
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.01, check: 'until a restarted server had ended them' },
  },
  {
    name: 'lease-never-renewed',
    breaks: 'a server that lives holds its lease, and takes over from those that do not',
    edits: [
      {
        file: 'ops/rounds.js',
        from: '() => renew(deps, patienceMs))',
        to: 'async () => true)',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'postgres', scale: 0.01, check: 'until the other server had ended them' },
  },
  {
    name: 'living-taken-for-dead',
    breaks: 'no living execution is failed',
    edits: [
      {
        file: 'executions/node-watch-rules.js',
        from: 'return until < now ||',
        to: 'return until > now ||',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'postgres', scale: 0.02, check: 'executions failed without a cause' },
  },
  {
    name: 'nobody-spared-after-an-outage',
    breaks: 'an outage of any length fails nothing that lives',
    edits: [
      {
        file: 'executions/node-lease.js',
        from: "clock.now() - steadySince < SPARING_MS ? 'none' : 'dead'",
        to: "'dead'",
      },
    ],
    foundBy: {
      scenario: 'postgres-outage',
      engine: 'postgres',
      scale: 1,
      check: 'executions of living servers that were taken over',
    },
  },
  {
    name: 'retry-after-sending',
    breaks: 'a call has one effect at most',
    edits: [
      {
        file: 'dispatch/exchange.js',
        from: '{ failure: failureAfterSending(code), reason: code }',
        to: '{ failure: failureAfterSending(code), reason: code, mayRetry: true }',
      },
    ],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.02, check: 'calls with more than one effect' },
  },
  {
    name: 'call-not-written-first',
    breaks: 'a call is written down before it is sent',
    edits: [{ file: 'executions/execute.js', from: 'await deps.callLog.record({', to: 'await Promise.resolve({' }],
    foundBy: { scenario: 'kills', engine: 'sqlite', scale: 0.02, check: 'effects of calls that were not written down' },
  },
  {
    name: 'calls-dropped',
    breaks: 'every call that the model asks for is made',
    edits: [
      {
        file: 'agent/run-agent.js',
        from: 'const calls = wanted.map(',
        to: 'const calls = wanted.slice(0, 1).map(',
      },
    ],
    foundBy: {
      scenario: 'kills',
      engine: 'sqlite',
      scale: 0.01,
      check: 'completed executions without the calls that were asked for',
    },
  },
  {
    name: 'revision-not-confirmed',
    breaks: 'a revoked key opens nothing, whatever a server remembers',
    edits: [{ file: 'executions/admission-rules.js', from: 'runtime.revision !== revision', to: 'false' }],
    foundBy: { scenario: 'revocation', engine: 'sqlite', scale: 0.1, check: 'calls with a revoked key' },
  },
  {
    name: 'cut-stream-taken-for-whole',
    breaks: "a model's answer without its end is a failure",
    edits: [
      { file: 'model/provider-model.js', from: 'end?.raw === undefined', to: 'false' },
      { file: 'model/provider-model.js', from: 'throw part.error;', to: 'return null;' },
    ],
    foundBy: {
      scenario: 'model-faults',
      engine: 'sqlite',
      scale: 0.05,
      check: 'executions that ended otherwise than they must',
    },
  },
  {
    name: 'tokens-of-broken-turns-lost',
    breaks: 'tokens are metered however a turn ends',
    edits: [
      {
        file: 'agent/run-agent.js',
        from: 'input.tell(stepEnd(error.usage))',
        to: 'input.tell(stepEnd({ inputTokens: 0, outputTokens: 0 }))',
      },
    ],
    foundBy: {
      scenario: 'model-faults',
      engine: 'sqlite',
      scale: 0.05,
      check: 'executions whose tokens seen were not metered',
    },
  },
  {
    name: 'caller-never-missed',
    breaks: 'who leaves ends what was begun for them',
    edits: [
      {
        file: 'http/lifecycle.js',
        from: 'if (isAborted)',
        to: 'if (isAborted === undefined)',
      },
    ],
    foundBy: {
      scenario: 'leaving-clients',
      engine: 'sqlite',
      scale: 0.02,
      check: 'model calls still open a second after their caller left',
    },
  },
  {
    name: 'deadline-never-comes',
    breaks: 'a call ends with its time limit',
    edits: [
      {
        file: 'dispatch/call-limit.js',
        from: 'setTimeout(() => this.#end(FAILURES.timeout), ms)',
        to: 'setTimeout(() => undefined, ms)',
      },
    ],
    foundBy: {
      scenario: 'endpoint-faults',
      engine: 'sqlite',
      scale: 0.02,
      check: 'calls that took longer than the limit and a second',
    },
  },
  {
    name: 'done-left-out',
    breaks: 'every stream ends in done',
    edits: [
      {
        file: 'executions/answer-execution.js',
        from: "await stream.send({ type: 'done', ...result });",
        to: "if (result.status === 'completed') await stream.send({ type: 'done', ...result });",
      },
    ],
    foundBy: { scenario: 'shutdown', engine: 'sqlite', scale: 0.02, check: 'streams without `done`' },
  },
  {
    name: 'signed-with-one-secret',
    breaks: 'a rotation fails no call',
    edits: [{ file: 'dispatch/attempts.js', from: 'reply.status === 401', to: 'reply.status === 0' }],
    foundBy: { scenario: 'rotation', engine: 'sqlite', scale: 0.05, check: 'capability calls stored as failed' },
  },
]
