import { z } from 'zod'
import { median, quantile } from '../../support/statistics.ts'
import { ENDPOINT_FAULTS, type EndpointWay, isFault } from './faults.ts'

export const DOORS = ['broker', 'capability', 'execute'] as const
export type Door = (typeof DOORS)[number]

/** One call of a round and its answer; status 0 where there was none. */
export interface RoundCall {
  status: number
  text: string
  tookMs: number
}

/** Calls to one endpoint through one doorway, all at once. Times of the machine, milliseconds. */
export interface Round {
  way: EndpointWay
  door: Door
  startedAt: number
  endedAt: number
  calls: readonly RoundCall[]
  /** Of these, how many reached the endpoint; null where it cannot tell. */
  hits: number | null
  /** The most memory that the server held meanwhile. */
  residentBytes: number
}

/** One call of the healthy tenant. */
export interface Probe {
  at: number
  tookMs: number
  isGood: boolean
}

export interface EndpointFindings {
  calls: number
  struck: number
  misshapen: { count: number; examples: readonly string[] }
  /** Calls that took longer than the limit and a second, from the first byte of the call to the last of its answer. */
  late: number
  slowestMs: number
  /** Likewise, beyond the median of what calls to an endpoint that answers at once took through the same door. */
  lateBesides: number
  slowestBesidesMs: number
  /** Of well-behaved endpoints. */
  failedGoodCalls: number
  memoryGrowthBytes: number
  failedProbes: number
  /** The other tenant’s p99 while nobody else called, in rounds of well-behaved endpoints, and in rounds of faults. */
  idleP99Ms: number
  idleProbeCount: number
  baselineP99Ms: number
  faultP99Ms: number
  probeCount: number
}

const Call = z.object({ executionId: z.string(), error: z.object({ message: z.string() }), durationMs: z.number() })
const Execution = z.object({
  executionId: z.string(),
  status: z.literal('completed'),
  messages: z.array(z.object({ role: z.string(), parts: z.array(z.record(z.string(), z.unknown())) })),
})
const Result = z.object({ type: z.literal('tool_result'), error: z.object({ message: z.string() }) })

export function judgeEndpointFaults(
  rounds: readonly Round[],
  probes: readonly Probe[],
  { deadlineMs, idle }: { deadlineMs: number; idle: Pick<Round, 'startedAt' | 'endedAt'> },
): EndpointFindings {
  const bad = rounds.filter(({ way }) => isFault(way))
  const good = rounds.filter(({ way }) => !isFault(way))
  const badCalls = bad.flatMap((round) => round.calls.map((call) => ({ ...call, way: round.way, door: round.door })))
  const misshapen = badCalls.filter((call) => !isAsPromised(call))
  // What a call takes besides its endpoint, in this run and through this door: so many at once have to wait for each other.
  const ownMs = (door: Door) =>
    median(
      good
        .filter((round) => round.way === 'good' && round.door === door)
        .flatMap(({ calls }) => calls.map(({ tookMs }) => tookMs)),
    ) || 0
  const own = { broker: ownMs('broker'), capability: ownMs('capability'), execute: ownMs('execute') }
  const tookMs = badCalls.map((call) => call.tookMs)
  const besidesMs = badCalls.map((call) => call.tookMs - own[call.door])
  const isLate = (ms: number) => ms > deadlineMs + 1_000
  const during = (chosen: readonly Pick<Round, 'startedAt' | 'endedAt'>[]) =>
    probes.filter(({ at }) => chosen.some(({ startedAt, endedAt }) => at >= startedAt && at <= endedAt))
  const durations = (chosen: readonly Pick<Round, 'startedAt' | 'endedAt'>[]) =>
    during(chosen).map(({ tookMs }) => tookMs)
  return {
    calls: badCalls.length,
    struck: bad.reduce((sum, { hits, calls }) => sum + (hits ?? calls.length), 0),
    misshapen: {
      count: misshapen.length,
      examples: misshapen
        .slice(0, 5)
        .map(({ way, door, status, text }) => `${way}, ${door}: ${status} ${text.slice(0, 200)}`),
    },
    late: tookMs.filter(isLate).length,
    slowestMs: Math.max(0, ...tookMs),
    lateBesides: besidesMs.filter(isLate).length,
    slowestBesidesMs: Math.max(0, ...besidesMs),
    failedGoodCalls: good.flatMap((round) => round.calls.filter((call) => !isGoodAnswer(round.door, call))).length,
    memoryGrowthBytes:
      Math.max(...bad.map(({ residentBytes }) => residentBytes)) -
      Math.max(...good.map(({ residentBytes }) => residentBytes)),
    failedProbes: probes.filter(({ isGood }) => !isGood).length,
    idleP99Ms: quantile(durations([idle]), 0.99),
    idleProbeCount: during([idle]).length,
    baselineP99Ms: quantile(durations(good), 0.99),
    faultP99Ms: quantile(durations(bad), 0.99),
    probeCount: during(rounds).length,
  }
}

const STATUS: Readonly<Record<Door, number>> = { broker: 502, capability: 200, execute: 200 }

function isAsPromised({ way, door, status, text }: RoundCall & { way: EndpointWay; door: Door }): boolean {
  const told = messageOf(door, text)
  if (!isFault(way) || told === null || status !== STATUS[door]) return false
  const may: readonly string[] = ENDPOINT_FAULTS[way]
  return may.includes(told)
}

// An execution goes on: the failure is what the model is given in place of an output.
function messageOf(door: Door, text: string): string | null {
  const body = parsed(text)
  if (door !== 'execute') return Call.safeParse(body).data?.error.message ?? null
  const parts = Execution.safeParse(body).data?.messages.flatMap((message) => message.parts) ?? []
  return (
    parts.map((part) => Result.safeParse(part).data?.error.message).find((message) => message !== undefined) ?? null
  )
}

function isGoodAnswer(door: Door, { status, text }: RoundCall): boolean {
  return status === 200 && messageOf(door, text) === null && /A-1001/.test(text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
