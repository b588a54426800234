import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { saying } from '../support/environment.ts'
import { startTurns } from '../support/model-double.ts'
import { at, HEALTH, startProbe } from '../support/probe.ts'
import { usageOf } from '../support/process-usage.ts'
import { atLeast, atMost, type Check, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { until } from '../support/within.ts'
import { openFuzzEnvironment } from './fuzz-environment.ts'

/**
 * A thousand at full scale, and how long the server may keep each, milliseconds: its own limits (10 s for headers, 30 s
 * for a request, 65 s kept alive, 30 to 60 s for a reader) and some seconds. A quick look has none that take a minute.
 */
const KINDS = {
  headers: { full: 300, min: 5, keptMs: 15_000 },
  body: { full: 300, min: 0, keptMs: 35_000 },
  silent: { full: 140, min: 5, keptMs: 15_000 },
  'kept alive': { full: 140, min: 0, keptMs: 72_000 },
  reader: { full: 120, min: 0, keptMs: 100_000 },
} as const
type Kind = keyof typeof KINDS

const OPENED_AT_ONCE = 50
const GROWTH_MB = 200
const HEAD = 'POST /v1/auth/sign-in HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'
/** How much a reader takes before it stops for ever. */
const READ_BYTES = 1_000

interface SlowConnection {
  kind: Kind
  socket: Socket
  connectedAt: number | null
  closedAt: number | null
}

export const slowClients: Scenario = {
  name: 'slow-clients',
  title: 'a thousand slow connections keep no other caller from being served',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    // Ten times what a model may say in one execution.
    const variables = await startTurns(context, [{ text: Array.from({ length: 100 }, () => 'x'.repeat(50_000)) }], 250)
    const environment = await openFuzzEnvironment(context, { variables })
    const { url, port, pid } = environment.server
    const longAnswer = executeRequest((await environment.addRuntime()).publicKey)
    const residentMb = () => usageOf(pid).residentBytes / 1024 / 1024
    const before = residentMb()
    const probing = startProbe(context, { url, everyMs: 100, request: HEALTH })
    const calling = environment.startNeighbourProbe(200)
    const connections = await openAll(context, (kind) => openSlowly(kind, port, longAnswer))
    let mostMb = before
    const isOver = () => {
      mostMb = Math.max(mostMb, residentMb())
      return connections.every(({ kind, closedAt }) => kind !== 'reader' && closedAt !== null)
    }
    await until(isOver, 2_000 + Math.max(...connections.map(({ kind }) => KINDS[kind].keptMs)), 500)
    const [health, calls] = [await probing.stop(), await calling.stop()]
    const running = await environment.store.query(
      "select 1 from executions where kind = 'execute' and status = 'running'",
    )
    for (const { socket } of connections) socket.destroy()
    return [
      exactly(
        'slow connections that were never established',
        connections.filter((one) => one.connectedAt === null).length,
        0,
      ),
      ...judgeKept(connections),
      exactly('readers whose execution did not end', running.length, 0),
      atLeast('health checks meanwhile', health.latenciesMs.length, 20),
      exactly('health checks that failed', health.failures, 0),
      atMost('p99 of /health', at(0.99, health), 250, 'ms'),
      atLeast('calls of others meanwhile', calls.latenciesMs.length, 20),
      exactly('calls of others that failed', calls.failures, 0),
      atMost('p99 of calls of others', at(0.99, calls), 500, 'ms'),
      atMost('memory grown', mostMb - before, GROWTH_MB, 'MB'),
    ]
  },
}

/** A connection that is still open has been kept for ever. */
function judgeKept(connections: readonly SlowConnection[]): Check[] {
  const kinds = [...new Set(connections.map(({ kind }) => kind))].filter((kind) => kind !== 'reader')
  return kinds.map((kind) => {
    const kept = connections
      .filter((one) => one.kind === kind)
      .map(({ connectedAt, closedAt }) => (closedAt ?? Number.POSITIVE_INFINITY) - (connectedAt ?? 0))
    return atMost(`longest that a connection was kept (${kind})`, Math.max(...kept), KINDS[kind].keptMs, 'ms')
  })
}

function executeRequest(key: string): string {
  const body = JSON.stringify({ messages: saying('Tell me all.') })
  const headers = `authorization: Bearer ${key}\r\naccept: text/event-stream\r\ncontent-length: ${body.length}`
  return `POST /v1/runtime/execute HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`
}

async function openAll({ count }: ScenarioContext, open: (kind: Kind) => SlowConnection): Promise<SlowConnection[]> {
  const kinds = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
    Array.from({ length: count(KINDS[kind].full, KINDS[kind].min) }, () => kind),
  )
  const connections: SlowConnection[] = []
  for (const [index, kind] of kinds.entries()) {
    if (index > 0 && index % OPENED_AT_ONCE === 0) await sleep(250)
    connections.push(open(kind))
  }
  return connections
}

/** Opens a connection and is slow on it until the server closes it. */
function openSlowly(kind: Kind, port: number, longAnswer: string): SlowConnection {
  const socket = connect({ port, host: '127.0.0.1' })
  const connection: SlowConnection = { kind, socket, connectedAt: null, closedAt: null }
  let timer: NodeJS.Timeout | undefined
  const done = () => {
    connection.closedAt ??= performance.now()
    clearInterval(timer)
  }
  socket.on('error', done).on('end', done).on('close', done)
  const drip = (head: string, letter: string) => {
    socket.write(head)
    timer = setInterval(() => socket.write(letter), 1_000)
  }
  socket.once('connect', () => {
    connection.connectedAt = performance.now()
    if (kind === 'reader') return readLittle(socket, longAnswer)
    socket.resume()
    if (kind === 'kept alive') socket.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
    if (kind === 'headers') drip(`${HEAD}x-slow: `, 'a')
    if (kind === 'body') drip(`${HEAD}content-length: 1000\r\n\r\n`, ' ')
  })
  return connection
}

function readLittle(socket: Socket, request: string): void {
  let read = 0
  socket.on('data', (bytes) => {
    read += bytes.length
    if (read > READ_BYTES) socket.pause()
  })
  socket.write(request)
}
