import type { ReplicaRun } from '../replicas/measure.ts'
import type { ReplicaRuns } from '../replicas/replica-runs.ts'
import type { Costs } from './model.ts'

/** Nobody answers a call for less; a run that is too short for the kernel's clock would say so. */
const LEAST_MS = 0.01

/** Costs of calls and of transactions told apart: runs of ever more callers put ever more calls into a transaction. */
export function fitCosts({
  calibration,
  syncMs,
  settlingLocks,
  statementsPerTransaction,
}: Pick<ReplicaRuns, 'calibration' | 'syncMs' | 'settlingLocks' | 'statementsPerTransaction'>): Costs {
  const replica = fitLine(calibration.map((run) => toPoint(run, run.cpuPerCallMs.server)))
  const database = fitLine(calibration.map((run) => toPoint(run, run.cpuPerCallMs.postgres)))
  const busiest = calibration.at(-1)
  if (busiest === undefined) throw new Error('nothing was measured to fit costs to')
  return {
    replicaPerCall: Math.max(replica.constant, LEAST_MS),
    replicaPerTransaction: replica.slope,
    databasePerCall: Math.max(database.constant, LEAST_MS),
    databasePerTransaction: database.slope,
    callerPerCall: busiest.cpuPerCallMs.generator,
    sync: syncMs,
    roundTrip: 0,
    statementsPerTransaction,
    endpoint: 0,
    settlingLocks,
  }
}

interface Point {
  x: number
  y: number
  /** How much it counts for. */
  weight: number
}

// By its calls: what goes on beside the calls is most of what a run of few of them spends.
function toPoint(run: ReplicaRun, y: number): Point {
  return { x: run.transactionsPerCall, y, weight: run.calls }
}

/** The line of least squares; neither of its figures below zero, since nothing costs less than nothing. */
export function fitLine(points: readonly Point[]): { constant: number; slope: number } {
  if (points.length < 2) throw new Error('a line needs two points')
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + point.weight * of(point), 0) / total
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const spread = mean((point) => (point.x - x) ** 2)
  const slope = spread === 0 ? 0 : Math.max(0, mean((point) => (point.x - x) * (point.y - y)) / spread)
  const constant = y - slope * x
  if (constant >= 0) return { constant, slope }
  const throughOrigin = mean((point) => point.x * point.y) / mean((point) => point.x ** 2)
  return { constant: 0, slope: throughOrigin }
}
