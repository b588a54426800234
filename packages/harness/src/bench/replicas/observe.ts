import pg from 'pg'

/** What a database did over a stretch of time. */
export interface DatabaseWork {
  /** Transactions that wrote. */
  commits: number
  walBytes: number
  /** Calls of fsync on the log, a few seconds of them missing at either end. */
  walSyncs: number
  /** By `type: event`, how often one of its connections was seen in it while it ran a statement; `running` for none. */
  waits: ReadonlyMap<string, number>
}

export interface Observer {
  /** Looks on from now until `end`. */
  begin(): Promise<{ end(): Promise<DatabaseWork> }>
  /** Fills every bucket, so that no plan's limit is met. One at a time: who asks meanwhile waits for that one. */
  fillBuckets(): Promise<void>
  /** Statements by their share of the time that the database spent on all of them, the largest first. */
  statements(limit: number): Promise<{ share: number; calls: number; query: string }[]>
  close(): Promise<void>
}

const SAMPLE_MS = 40

/** A connection of the harness's own to a database whose cluster has pg_stat_statements. */
export async function observe(url: string): Promise<Observer> {
  const connect = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client
  }
  const [client, sampler, filler] = [await connect(), await connect(), await connect()]
  let filling: Promise<unknown> | null = null
  await client.query('create extension if not exists pg_stat_statements')
  return {
    async begin() {
      const before = await readCounters(client)
      const sampling = sampleWaits(sampler)
      return {
        async end() {
          const after = await readCounters(client)
          return {
            commits: after.commits - before.commits,
            walBytes: after.walBytes - before.walBytes,
            walSyncs: after.walSyncs - before.walSyncs,
            waits: await sampling.stop(),
          }
        },
      }
    },
    async fillBuckets() {
      filling ??= filler.query('update allowances set full_at = 0 where full_at > $1', [Date.now()]).finally(() => {
        filling = null
      })
      await filling
    },
    async statements(limit) {
      const { rows } = await client.query<{ share: number; calls: number; query: string }>(
        `select total_exec_time / sum(total_exec_time) over () as share, calls::float8 as calls, query
         from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
         order by 1 desc limit $1`,
        [limit],
      )
      return rows
    },
    async close() {
      await filling?.catch(() => undefined)
      await Promise.all([client.end(), sampler.end(), filler.end()])
    },
  }
}

interface Counters {
  commits: number
  walBytes: number
  walSyncs: number
}

// Transactions by the ids that those which write are given: the statistics of a connection come up to ten seconds late.
async function readCounters(client: pg.Client): Promise<Counters> {
  const { rows } = await client.query<Counters>(
    `select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
       (select wal_sync::float8 from pg_stat_wal) as "walSyncs"`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL counts nothing')
  return row
}

function sampleWaits(client: pg.Client): { stop(): Promise<ReadonlyMap<string, number>> } {
  const waits = new Map<string, number>()
  let isOver = false
  const sample = async () => {
    while (!isOver) {
      const { rows } = await client.query<{ event: string }>(
        `select coalesce(wait_event_type || ': ' || wait_event, 'running') as event from pg_stat_activity
         where application_name = 'svc' and state = 'active' and datname = current_database()`,
      )
      for (const { event } of rows) waits.set(event, (waits.get(event) ?? 0) + 1)
      await pause(SAMPLE_MS)
    }
  }
  const sampled = sample()
  return {
    async stop() {
      isOver = true
      await sampled
      return waits
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
