import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { InFlight } from '../../src/admission/in-flight.ts'
import { extendLease, takeLease } from '../../src/executions/lease-store.ts'
import { LEASE_MS, NodeLease, RENEWAL_MS } from '../../src/executions/node-lease.ts'
import { RunningExecutions } from '../../src/executions/running.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openDatabase } from '../../src/store/database.ts'
import { NO_METRICS } from '../../src/telemetry/metrics.ts'
import { executionRow } from '../store/rows.ts'
import { createTestClock } from '../support/clock.ts'
import { createTestPlace, describeEngines } from '../support/engines.ts'

const RUNNING = ['running']
const FAILED = ['failed']

const HOUR_MS = 3_600_000

/** The row that another node has written of itself. */
interface Told {
  until?: number
  steadySince?: number
  settings?: string | null
}

describeEngines('the times of a lease', (engine) => {
  /** A node among others, with a clock that stands still; what `node_silent` runs is there to be taken over. */
  async function setUp() {
    const place = await createTestPlace(engine)
    const database = await openDatabase(place.options)
    onTestFinished(() => database.close())
    const { db } = database
    const clock = createTestClock()
    const monotonicClock = createTestClock(0)
    const start = clock.now()
    const log: { setting?: string }[] = []
    const node = new NodeLease({
      db,
      clock,
      monotonicClock,
      limits: DEFAULT_LIMITS,
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
      metrics: NO_METRICS,
      running: new RunningExecutions(new InFlight(DEFAULT_LIMITS)),
      // As nodes beside each other, on either engine.
      engine: 'postgres',
      nodeId: 'node_own',
      settings: { version: '1.0.0', SVC_LIMIT_STEPS: 5 },
      nodeUrl: null,
    })
    const other = (node_id: string, { until = start + LEASE_MS, steadySince = start, settings = null }: Told = {}) => {
      const times = { lease_until: until, started_at: start, steady_since: steadySince }
      return takeLease(db, { node_id, settings, url: null, ...times })
    }
    await db
      .insertInto('executions')
      .values(executionRow({ node_id: 'node_silent', started_at: start }))
      .execute()
    const statuses = async () => {
      const rows = await db.selectFrom('executions').select('status').execute()
      return rows.map(({ status }) => status)
    }
    const lease = (nodeId: string) =>
      db
        .selectFrom('nodes')
        .select(['lease_until', 'steady_since'])
        .where('node_id', '=', nodeId)
        .executeTakeFirstOrThrow()
    const pass = (ms: number) => {
      clock.advance(ms)
      monotonicClock.advance(ms)
    }
    const round = async (afterMs: number) => {
      pass(afterMs)
      await node.renew()
      await node.sweep()
      return statuses()
    }
    const failRenewal = async (afterMs: number) => {
      pass(afterMs)
      await db.schema.alterTable('nodes').renameTo('nodes_away').execute()
      await expect(node.renew()).rejects.toThrow('nodes')
      await db.schema.alterTable('nodes_away').renameTo('nodes').execute()
    }
    return { db, log, clock, pass, start, node, other, statuses, lease, round, failRenewal }
  }

  test('are not moved back by an abandoned renewal that arrives after a later one', async () => {
    const { db, start, other, lease } = await setUp()
    await other('node_other')
    const renew = (afterMs: number) => {
      const until = start + LEASE_MS + afterMs
      return extendLease(db, { nodeId: 'node_other', until, steadySince: start + afterMs, latestUntil: until })
    }
    expect(await renew(20_000)).toBe(true)
    const later = await lease('node_other')
    expect(later).toEqual({ lease_until: start + LEASE_MS + 20_000, steady_since: start + 20_000 })
    expect(await renew(10_000)).toBe(true)
    expect(await lease('node_other')).toEqual(later)
  })

  test('include a gap while a renewal waited for its answer', async () => {
    const { clock, pass, node, other, lease, round, statuses } = await setUp()
    await other('node_silent')
    await node.take()
    const renewed = node.renew()
    pass(60_000)
    await renewed
    await node.sweep()
    expect(await statuses()).toEqual(RUNNING)
    expect(await lease('node_own')).toEqual({ lease_until: clock.now() + LEASE_MS, steady_since: clock.now() })
    expect(await round(RENEWAL_MS)).toEqual(FAILED)
  })

  test('include no gap after a slow start', async () => {
    const { pass, node, other, start, round } = await setUp()
    await other('node_silent')
    await other('node_living', { steadySince: start - 60_000 })
    const taken = node.take()
    pass(2 * RENEWAL_MS)
    await taken
    expect(await round(RENEWAL_MS + 1)).toEqual(FAILED)
  })

  test('start from the latest gap that any node has seen', async () => {
    const { node, other, start, statuses, round } = await setUp()
    await other('node_silent', { until: start - 1 })
    await other('node_steady', { steadySince: start - 60_000 })
    await other('node_kept_away', { steadySince: start - 1 })
    await node.take()
    expect(await statuses()).toEqual(RUNNING)
    expect(await round(RENEWAL_MS - 1)).toEqual(FAILED)
  })

  test.each([9_000, 10_000])(
    'leave the others ten seconds again where the database goes once more, %i ms after it came back',
    async (afterMs) => {
      const { node, other, round, failRenewal } = await setUp()
      await other('node_silent')
      await node.take()
      expect(await round(60_000)).toEqual(RUNNING)
      await failRenewal(afterMs)
      expect(await round(2_000)).toEqual(RUNNING)
      expect(await round(RENEWAL_MS - 2_001)).toEqual(RUNNING)
      expect(await round(1)).toEqual(FAILED)
    },
  )

  test('give no more time for a renewal that failed after those ten seconds', async () => {
    const { pass, node, other, round, failRenewal } = await setUp()
    await other('node_silent')
    await node.take()
    expect(await round(60_000)).toEqual(RUNNING)
    pass(RENEWAL_MS)
    await node.renew()
    await failRenewal(9_000)
    expect(await round(1_000)).toEqual(FAILED)
  })

  test('of a clock that was ahead are corrected by the next renewal after it was set back', async () => {
    const { clock, node, other, lease, round } = await setUp()
    await other('node_silent')
    await node.take()
    clock.advance(HOUR_MS)
    await round(RENEWAL_MS)
    clock.advance(-HOUR_MS)
    await round(RENEWAL_MS)
    expect(await lease('node_own')).toEqual({ lease_until: clock.now() + LEASE_MS, steady_since: clock.now() })
    expect(await round(RENEWAL_MS)).toEqual(RUNNING)
    expect(await round(1)).toEqual(FAILED)
  })

  test.each([HOUR_MS, -HOUR_MS])(
    'last thirty seconds for the node itself where its clock is set by %i ms',
    async (by) => {
      const { clock, pass, node, round, failRenewal } = await setUp()
      await node.take()
      await round(RENEWAL_MS)
      clock.advance(by)
      await failRenewal(RENEWAL_MS)
      pass(LEASE_MS - RENEWAL_MS - 1)
      expect(node.isHeld()).toBe(true)
      pass(1)
      expect(node.isHeld()).toBe(false)
    },
  )

  // holds LIM-13
  test('of dead nodes are taken over also by a node whose clock was set back by an hour', async () => {
    const { clock, node, other, round } = await setUp()
    await other('node_silent')
    await node.take()
    clock.advance(-HOUR_MS)
    await round(RENEWAL_MS)
    await round(RENEWAL_MS)
    expect(await round(RENEWAL_MS)).toEqual(RUNNING)
    expect(await round(1)).toEqual(FAILED)
  })

  test('that are renewed belong to living nodes, and new executions are not overdue, where a clock was set forward', async () => {
    const { db, clock, start, node, other, round } = await setUp()
    await other('node_silent')
    await node.take()
    const own = executionRow({ execution_id: 'exec_own', node_id: 'node_own', started_at: start })
    await db.insertInto('executions').values(own).execute()
    clock.advance(HOUR_MS)
    for (let afterMs = RENEWAL_MS; afterMs <= 60_000; afterMs += RENEWAL_MS) {
      const until = start + afterMs + LEASE_MS
      await extendLease(db, { nodeId: 'node_silent', until, steadySince: start, latestUntil: until })
      expect(await round(RENEWAL_MS)).toEqual(['running', 'running'])
    }
  })

  test('of a node whose clock is ahead delay the take-over of a starting node by ten seconds at most', async () => {
    const { node, other, start, round } = await setUp()
    await other('node_silent', { until: start - 1 })
    await other('node_ahead', { until: start + HOUR_MS + LEASE_MS, steadySince: start + HOUR_MS })
    await node.take()
    expect(await round(RENEWAL_MS - 1)).toEqual(RUNNING)
    expect(await round(1)).toEqual(FAILED)
  })

  test('are stored with settings: each one that differs on another living node is logged once, with both values', async () => {
    const { log, node, other, round } = await setUp()
    const settings = JSON.stringify({ version: '1.0.0', SVC_BASE_URL: 'https://a.example.com', SVC_LIMIT_STEPS: 7 })
    await other('node_other', { settings })
    await other('node_earlier_release')
    await node.take()
    for (let rounds = 0; rounds < 3; rounds += 1) await round(1_000)
    const told = () => log.filter(({ setting }) => setting !== undefined)
    expect(told()).toMatchObject([
      {
        setting: 'SVC_LIMIT_STEPS',
        here: 5,
        there: 7,
        nodeId: 'node_other',
        msg: 'another replica has other settings',
      },
      { setting: 'SVC_BASE_URL', here: 'default', there: 'https://a.example.com' },
    ])
    await other('node_like_it', { settings })
    await other('node_newer', { settings: JSON.stringify({ version: '1.1.0', SVC_LIMIT_STEPS: 5 }) })
    await round(1_000)
    expect(told().slice(2)).toMatchObject([{ setting: 'version', here: '1.0.0', there: '1.1.0', nodeId: 'node_newer' }])
  })
})
