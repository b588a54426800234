import { type ExecutionSummary, keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { setScene } from '../../server/test/support/scene.ts'
import { envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const ACCOUNT_BODY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const ACCOUNT_KEY = ACCOUNT_BODY + keyChecksum(ACCOUNT_BODY)
const ENV = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_RUNTIME_ID: 'rt_exampleShop', SVC_BASE_URL: NOWHERE }
const TEN = Date.parse('2026-03-01T10:00:00.000Z')

type Item = {
  id: string
  startMs: number
  endMs?: number
  status?: 'completed' | 'failed'
  calls?: [number, number, number?]
}

/** An execution as lists show it; times in milliseconds after ten o’clock. Without an end it runs. */
function summary({ id, startMs, endMs, status = 'completed', calls = [0, 0] }: Item): ExecutionSummary {
  const isoAt = (ms: number) => new Date(TEN + ms).toISOString()
  const ended = endMs !== undefined
  return {
    ...{ executionId: id, runtimeId: 'rt_exampleShop', kind: 'execute', surface: null },
    status: ended ? status : 'running',
    ...{ finishReason: ended ? 'stop' : null, durationMs: ended ? endMs - startMs : null },
    ...{ capability: null, error: null, feedback: null },
    ...{ capabilityCalls: calls[0], failedCalls: calls[1], unknownCalls: calls[2] ?? 0 },
    ...{ inputTokens: 8, outputTokens: 4, totalTokens: 12 },
    ...{ startedAt: isoAt(startMs), completedAt: ended ? isoAt(endMs) : null },
  }
}

/** A list of executions with the order, filters and pages of the control plane’s, which tests change between reads. */
function createHistory(...items: Item[]) {
  const all = new Map(items.map((item) => [item.id, item]))
  const state: { fault: (() => Response) | null; reads: number } = { fault: null, reads: 0 }
  const list = (query: URLSearchParams) => {
    const [from, to] = [Number(query.get('from') ?? 0), Number(query.get('to') ?? Number.MAX_SAFE_INTEGER)]
    const fits = ({ status, startedAt, failedCalls, unknownCalls }: ExecutionSummary) =>
      [null, status].some((wanted) => wanted === query.get('status')) &&
      (query.get('calls') === null || (query.get('calls') === 'failed' ? failedCalls : unknownCalls) > 0) &&
      Date.parse(startedAt) >= from &&
      Date.parse(startedAt) < to
    const newestFirst = [...all.values()]
      .sort((one, other) => other.startMs - one.startMs || (one.id < other.id ? 1 : -1))
      .map(summary)
      .filter(fits)
    const begin = Number(query.get('cursor') ?? 0)
    const end = begin + Number(query.get('limit') ?? 50)
    return { traces: newestFirst.slice(begin, end), nextCursor: end < newestFirst.length ? String(end) : null }
  }
  return Object.assign(state, {
    put(...changed: Item[]) {
      for (const item of changed) all.set(item.id, item)
    },
    fetch: async (input: string | URL | Request) => {
      state.reads += 1
      if (state.fault) return state.fault()
      const { pathname, searchParams } = new URL(String(input))
      expect(pathname).toBe('/v1/traces/runtime/rt_exampleShop')
      return Response.json(list(searchParams))
    },
  })
}

type Followed = { fetch?: typeof fetch; env?: Record<string, string>; args?: string[] }

/** Follows until the steps are done, then presses Ctrl-C. A step is what happens during one pause. */
async function follow({ fetch, env = ENV, args = [] }: Followed, steps: (() => unknown)[]) {
  const pauses: number[] = []
  const timers = {
    now: () => 0,
    every: () => () => undefined,
    after: (delayMs: number, run: () => void) => {
      const step = steps[pauses.push(delayMs) - 1]
      if (step) void Promise.resolve(step()).then(run)
      else process.emit('SIGINT')
      return () => undefined
    },
  }
  const outcome = await runSvc(createProject({}), ['logs', '--follow', ...args], {
    timers,
    env,
    ...(fetch && { fetch }),
  })
  return { ...outcome, pauses, ids: idsIn(outcome.stdout) }
}

const idsIn = (text: string) => text.match(/exec_\w+/g) ?? []

describe('svc logs', () => {
  // holds CLI-17
  test('shows the latest executions, oldest first, and what each came to', async () => {
    const { fetch } = createHistory(
      { id: 'exec_a', startMs: 0, endMs: 1 },
      { id: 'exec_b', startMs: 1000, endMs: 1840, calls: [3, 1] },
      { id: 'exec_c', startMs: 2000 },
    )
    const { exitCode, stdout } = await runSvc(createProject({}), ['logs', '--limit', '2'], { env: ENV, fetch })
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['2026-03-01T10:00:01.000Z', 'exec_b', 'execute', 'completed', '3 calls, 1 failed', '840 ms', '12 tokens'],
      ['2026-03-01T10:00:02.000Z', 'exec_c', 'execute', 'running', '0 calls', '-', '12 tokens'],
      [''],
    ])
  })

  test('--failed shows those that failed, and those with a call that did or is unknown', async () => {
    const { fetch } = createHistory(
      { id: 'exec_a', startMs: 0, endMs: 1, status: 'failed' },
      { id: 'exec_b', startMs: 1, endMs: 3, calls: [1, 1] },
      { id: 'exec_c', startMs: 2, endMs: 3 },
      { id: 'exec_d', startMs: 3, endMs: 4, status: 'failed', calls: [1, 1] },
      { id: 'exec_e', startMs: 4, endMs: 5, calls: [2, 0, 1] },
    )
    const shown = async (limit: string) =>
      idsIn((await runSvc(createProject({}), ['logs', '--failed', '--limit', limit], { env: ENV, fetch })).stdout)
    expect(await shown('20')).toEqual(['exec_a', 'exec_b', 'exec_d', 'exec_e'])
    expect(await shown('2')).toEqual(['exec_d', 'exec_e'])
  })

  test('--json prints a document on each line, that of a failure, too', async () => {
    const items = [1, 2].map((number) => ({ id: `exec_${number}`, startMs: number, endMs: 9 }))
    const history = createHistory(...items)
    const run = () => runSvc(createProject({}), ['logs', '--json'], { env: ENV, fetch: history.fetch })
    const lines = (await run()).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(items.map((item) => ({ ok: true, ...summary(item) })))
    history.fault = () => Response.json(envelope(429, 'rate_limit_exceeded', 'Busy.').body, { status: 429 })
    const failed = await run()
    expect([failed.exitCode, JSON.parse(failed.stdout.trimEnd().split('\n')[0] ?? '')]).toEqual([
      1,
      { ok: false, error: expect.objectContaining({ kind: 'failure' }) },
    ])
  })

  test('takes the runtime of the deploy key where no id is set, and asks each with its own key', async () => {
    const { url, requests } = await startControlPlane({
      'GET /v1/runtime/status': statusReply([]),
      'GET /v1/traces/runtime/rt_exampleShop?limit=20': { status: 200, body: { traces: [], nextCursor: null } },
    })
    const env = { SVC_ACCOUNT_KEY: ACCOUNT_KEY, SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: url }
    const { exitCode, stderr } = await runSvc(createProject({}), ['logs'], { env })
    expect([exitCode, stderr]).toEqual([0, 'There are no executions.\n'])
    expect(requests.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${DEPLOY_KEY}`,
      `Bearer ${ACCOUNT_KEY}`,
    ])
  })

  test.each([
    [{ SVC_ACCOUNT_KEY: '' }, [], 3, /SVC_ACCOUNT_KEY is not set[\s\S]*dashboard, under “Account”/],
    [{ SVC_RUNTIME_ID: '' }, [], 3, /which runtime this is[\s\S]*SVC_RUNTIME_ID/],
    [{ SVC_RUNTIME_ID: 'shop' }, [], 3, /SVC_RUNTIME_ID must/],
    [{}, ['--limit', '201'], 2, /--limit must be a whole number from 1 to 200/],
  ])('with %j and %j it says what is missing before anything is sent', async (env, args, code, words) => {
    const history = createHistory()
    const run = { env: { ...ENV, ...env }, fetch: history.fetch }
    const { exitCode, stderr } = await runSvc(createProject({}), ['logs', ...args], run)
    expect([exitCode, stderr, history.reads]).toEqual([code, expect.stringMatching(words), 0])
  })

  test.each([
    [401, 'unauthorized', /account key svc_ak_0123….* is not valid at/],
    [404, 'not_found', /The account of SVC_ACCOUNT_KEY has no runtime rt_exampleShop/],
  ])('a refusal of %i ends it, followed or not, with the key or the runtime named', async (status, code, words) => {
    const fetch = async () => Response.json(envelope(status, code, 'No.').body, { status })
    for (const more of [[], ['--follow']]) {
      const { exitCode, stderr } = await runSvc(createProject({}), ['logs', ...more], { env: ENV, fetch })
      expect([exitCode, stderr]).toEqual([4, expect.stringMatching(words)])
    }
  })
})

describe('svc logs --follow', () => {
  // holds CLI-18
  test('shows each execution once, when it has ended, in whatever order they began', async () => {
    const history = createHistory(
      // It runs for longer than the window of starts that is read again.
      { id: 'exec_old', startMs: -100_000 },
      { id: 'exec_before', startMs: -100, endMs: -50 },
      { id: 'exec_long', startMs: 0 },
      { id: 'exec_beside', startMs: 0, endMs: 10 },
      { id: 'exec_short', startMs: 20 },
    )
    const { exitCode, ids, pauses } = await follow(history, [
      () => history.put({ id: 'exec_short', startMs: 20, endMs: 1000 }, { id: 'exec_next', startMs: 500 }),
      () => history.put({ id: 'exec_old', startMs: -100_000, endMs: 1500 }),
      // The long one is now far older than the newest, and ends together with one that began after it.
      () => history.put({ id: 'exec_new', startMs: 400_000, endMs: 400_010 }),
      () =>
        history.put({ id: 'exec_next', startMs: 500, endMs: 400_030 }, { id: 'exec_long', startMs: 0, endMs: 400_020 }),
      () => undefined,
    ])
    expect(ids).toEqual(['exec_before', 'exec_beside', 'exec_short', 'exec_old', 'exec_new', 'exec_long', 'exec_next'])
    expect([exitCode, ...new Set(pauses)]).toEqual([0, 2000])
  })

  test('shows all that ended between two reads, more than a page of them, and what came into the list late', async () => {
    const many = Array.from({ length: 450 }, (_, at) => ({ id: `exec_${at}`, startMs: 1000 + at, endMs: 5000 + at }))
    const history = createHistory({ id: 'exec_first', startMs: 0, endMs: 1 })
    const { ids } = await follow(history, [
      () => history.put(...many),
      () => history.put({ id: 'exec_late', startMs: 900, endMs: 6000 }),
      () => undefined,
    ])
    expect(ids).toEqual(['exec_first', ...many.map(({ id }) => id), 'exec_late'])
  })

  test.each([1, 2, 3, 4, 5])('shows once what ends before read %i, of the four that it begins with', async (read) => {
    const history = createHistory({ id: 'exec_a', startMs: 0 })
    const fetch: typeof history.fetch = (input) => {
      if (history.reads + 1 === read) history.put({ id: 'exec_a', startMs: 0, endMs: 5 })
      return history.fetch(input)
    }
    const { ids } = await follow({ fetch }, [() => undefined])
    expect(ids).toEqual(['exec_a'])
  })

  test('begins with no more than the limit, and shows none of the others later', async () => {
    const history = createHistory(...[1, 2, 3].map((at) => ({ id: `exec_${at}`, startMs: at, endMs: at + 1 })))
    const { ids } = await follow({ fetch: history.fetch, args: ['--limit', '1'] }, [() => undefined])
    expect(ids).toEqual(['exec_3'])
  })

  test('--failed leaves out what went well', async () => {
    const history = createHistory({ id: 'exec_running', startMs: 0 })
    const { ids } = await follow({ fetch: history.fetch, args: ['--failed'] }, [
      () =>
        history.put(
          { id: 'exec_fine', startMs: 1, endMs: 2 },
          { id: 'exec_call', startMs: 2, endMs: 3, calls: [1, 1] },
        ),
      () => history.put({ id: 'exec_running', startMs: 0, endMs: 9, status: 'failed' }),
    ])
    expect(ids).toEqual(['exec_call', 'exec_running'])
  })

  // holds CLI-18
  test('outlasts a control plane that is away, asks less often, and shows what ended meanwhile', async () => {
    const history = createHistory({ id: 'exec_running', startMs: 0 })
    const busy = envelope(429, 'rate_limit_exceeded', 'Busy.').body
    const { exitCode, ids, pauses, stderr } = await follow(history, [
      () => {
        history.fault = () => {
          throw new TypeError('fetch failed')
        }
      },
      () => (history.fault = () => new Response('<h1>Bad gateway</h1>', { status: 502 })),
      () => (history.fault = () => Response.json(busy, { status: 429, headers: { 'retry-after': '70' } })),
      ...Array.from({ length: 2 }, () => () => (history.fault = () => Response.json(busy, { status: 503 }))),
      () => {
        history.fault = null
        history.put({ id: 'exec_running', startMs: 0, endMs: 90_000 }, { id: 'exec_other', startMs: 100, endMs: 200 })
      },
    ])
    expect(ids).toEqual(['exec_other', 'exec_running'])
    expect(pauses).toEqual([2000, 4000, 8000, 70_000, 30_000, 30_000, 2000])
    expect(exitCode).toBe(0)
    expect(stderr.match(/cannot be reached|does not answer like|refused|answers again/g)).toEqual([
      'cannot be reached',
      'answers again',
    ])
  })

  test('ends when the key is revoked', async () => {
    const history = createHistory({ id: 'exec_a', startMs: 0, endMs: 1 })
    const revoked = envelope(401, 'unauthorized', 'Not valid here.').body
    const { exitCode, stderr } = await follow(history, [
      () => (history.fault = () => Response.json(revoked, { status: 401 })),
    ])
    expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/account key .* is not valid at/)])
  })
})

describeEngine('sqlite', 'svc logs against a control plane', (engine) => {
  const database = useDatabase(engine)

  test('follows real executions of every route', async () => {
    const scene = await setScene(database())
    const url = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
    const env = { SVC_ACCOUNT_KEY: scene.owner.apiKey, SVC_RUNTIME_ID: scene.runtime.runtimeId, SVC_BASE_URL: url }
    await scene.execute()
    const { exitCode, stdout } = await follow({ env, args: ['--json'] }, [
      () => scene.broker('echo'),
      () => scene.call({ capability: 'echo' }),
    ])
    expect(exitCode).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['execute', 'broker', 'capability'])
  })
})
