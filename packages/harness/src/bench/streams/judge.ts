import type { Table } from '../../support/markdown-table.ts'
import { atMost, type Check, exactly } from '../../support/scenario.ts'
import { quantile, rounded } from '../../support/statistics.ts'
import { type Spread, showSpread, spreadOf } from '../load/figures.ts'
import { medianAtMost } from '../load/marks.ts'
import type { StreamTurn } from './measure-streams.ts'

/** Everything that was measured of one source. */
export interface MeasuredStreams {
  name: string
  /** What its process held at its start; 0 for the model itself. */
  idleResidentBytes: number
  turns: readonly [StreamTurn, ...StreamTurn[]]
}

export interface StreamsPlan {
  streams: number
  eventsEach: number
}

/** All streams complete, all open at once, and what each cost. `direct` is the model itself, `relay` the one by event. */
export function judgeStreams(
  direct: MeasuredStreams,
  relay: MeasuredStreams,
  services: readonly MeasuredStreams[],
  plan: StreamsPlan,
): Check[] {
  return services.flatMap((service) => [
    ...completeness(service, plan),
    medianAtMost(`${service.name}, ms added to the first event at the median`, addedMs(direct, service), 5),
    atMost(`${service.name}, longest gap between two events`, longestGapMs(service), 1_000, 'ms'),
    medianAtMost(`${service.name}, CPU per event over that of the relay by event`, cpuRatio(service, relay), CPU_RATIO),
    atMost(
      `${service.name}, memory per stream over that of the relay by event`,
      bytesPerStream(service, plan) / bytesPerStream(relay, plan),
      MEMORY_RATIO,
    ),
  ])
}

const CPU_RATIO = 1.6
const MEMORY_RATIO = 1.3

function completeness({ name, turns }: MeasuredStreams, { streams, eventsEach }: StreamsPlan): Check[] {
  const seen = turns.flatMap((turn) => turn.streams)
  const complete = seen.filter(({ isComplete, events }) => isComplete && events === eventsEach)
  return [
    exactly(`${name}, complete streams`, complete.length, streams * turns.length),
    exactly(`${name}, streams open at once`, Math.min(...turns.map(({ peakOpen }) => peakOpen)), streams),
  ]
}

function firstEventMs(turn: StreamTurn, share: number): number {
  return quantile(
    turn.streams.flatMap((stream) => (stream.firstEventMs === null ? [] : [stream.firstEventMs])),
    share,
  )
}

/** Round by round, what stands between the model's first word and the caller. */
export function addedMs(direct: MeasuredStreams, service: MeasuredStreams): Spread {
  return spreadOf(
    service.turns.map((turn, round) => {
      const own = direct.turns[round]
      return own === undefined ? Number.NaN : firstEventMs(turn, 0.5) - firstEventMs(own, 0.5)
    }),
  )
}

function cpuMicroseconds(turn: StreamTurn): number {
  return (turn.cpuMs * 1000) / turn.streams.reduce((sum, { events }) => sum + events, 0)
}

function cpuRatio(of: MeasuredStreams, to: MeasuredStreams): Spread {
  return spreadOf(
    of.turns.map((turn, round) => {
      const other = to.turns[round]
      return other === undefined ? Number.NaN : cpuMicroseconds(turn) / cpuMicroseconds(other)
    }),
  )
}

// A process gives back what its start took, so the least it ever held counts. Without any growth nothing can be said.
function bytesPerStream({ turns, idleResidentBytes }: MeasuredStreams, { streams }: StreamsPlan): number {
  const least = Math.min(idleResidentBytes, ...turns.map(({ leastResidentBytes }) => leastResidentBytes))
  const grown = Math.max(...turns.map(({ peakResidentBytes }) => peakResidentBytes)) - least
  return grown > 0 ? grown / streams : Number.NaN
}

function longestGapMs({ turns }: MeasuredStreams): number {
  return Math.max(...turns.flatMap((turn) => turn.streams.map((stream) => stream.longestGapMs)))
}

const HEAD = [
  '',
  'complete',
  'first event ms, p50',
  'p99',
  'longest gap ms',
  'CPU µs an event',
  'CPU ms a stream',
  'ratio to the relay by bytes',
  'KiB a stream',
]

/** One row for each source; CPU ratios are to the relay that hands bytes on. */
export function streamsTable(measured: readonly MeasuredStreams[], byBytes: MeasuredStreams, plan: StreamsPlan): Table {
  const rows = measured.map((source) => {
    const seen = source.turns.flatMap((turn) => turn.streams)
    const firsts = (share: number) => rounded(spreadOf(source.turns.map((turn) => firstEventMs(turn, share))).median)
    const cpu = spreadOf(source.turns.map(cpuMicroseconds)).median
    const isModel = source.idleResidentBytes === 0
    const measuredOnly = (text: string) => (isModel ? '–' : text)
    return [
      source.name,
      `${seen.filter(({ isComplete }) => isComplete).length} of ${seen.length}`,
      firsts(0.5),
      firsts(0.99),
      rounded(longestGapMs(source)),
      measuredOnly(rounded(cpu)),
      measuredOnly(rounded((cpu * plan.eventsEach) / 1000)),
      measuredOnly(showSpread(cpuRatio(source, byBytes))),
      measuredOnly(rounded(bytesPerStream(source, plan) / 1024)),
    ]
  })
  return { name: 'streams', head: HEAD, rows }
}
