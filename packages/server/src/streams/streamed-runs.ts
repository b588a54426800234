import type { ExecutionStatus } from '@svc/contract'
import { InFlight } from '../admission/in-flight.ts'
import { ActiveSet } from '../lib/active-set.ts'
import type { Clock } from '../lib/clock.ts'
import { Stop } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { RunEvents } from './run-events.ts'

type RunLimits = Pick<Limits, 'resumeMs' | 'resumeBytes' | 'eventBytes'>

interface NewRun {
  executionId: string
  ownerId: string
  /** Ends the execution as cancelled. */
  cancel: () => void
  isDetached: boolean
}

/** A streamed execution that this node runs, or whose events wait here. */
export interface StreamedRun extends NewRun {
  /** Null without `detach`: nothing is kept of it, and it can be cancelled alone. */
  readonly events: RunEvents | null
  status: ExecutionStatus
  /** Aborts when the run has ended. */
  readonly ended: Stop
  endedAt: number | null
  /** Bytes of its events that are counted for its account. */
  countedBytes: number
}

/**
 * The streamed executions of this node. Events of detached ones wait in its memory alone until some time after their end. An
 * account may add events while its events take less room than is free; past that its oldest ended runs go first.
 */
export class StreamedRuns {
  /** Detached ones that have not ended. */
  readonly detached = new ActiveSet<StreamedRun>()
  readonly #clock: Clock
  readonly #limits: RunLimits
  readonly #metrics: Pick<Metrics, 'streamGap'>
  readonly #kept: InFlight
  readonly #runs = new Map<string, StreamedRun>()
  /** By account, in the order of their ends. */
  readonly #ended = new Map<string, Set<StreamedRun>>()

  constructor({ clock, limits, metrics }: { clock: Clock; limits: RunLimits; metrics: Pick<Metrics, 'streamGap'> }) {
    this.#clock = clock
    this.#limits = limits
    this.#metrics = metrics
    this.#kept = new InFlight({ executions: 0, heldBytes: limits.resumeBytes })
  }

  /** Bytes of all events that wait. */
  get bytes(): number {
    return this.#kept.bytes
  }

  get size(): number {
    return this.#runs.size
  }

  begin(run: NewRun): StreamedRun {
    const events = run.isDetached ? new RunEvents(this.#limits.eventBytes, () => this.#metrics.streamGap()) : null
    const begun: StreamedRun = { events, status: 'running', ended: new Stop(), endedAt: null, countedBytes: 0, ...run }
    this.#runs.set(begun.executionId, begun)
    if (run.isDetached) this.detached.add(begun)
    return begun
  }

  /** Adds an event of a detached run. `data` is its JSON text. */
  append(run: StreamedRun, type: string, data: string): void {
    run.events?.append(type, data)
    this.#count(run)
    if (this.#kept.byteShortage(run.ownerId)) this.#makeRoom(run)
  }

  /** `done` is the JSON text of the last event; null where the run broke off without one. */
  end(run: StreamedRun, status: ExecutionStatus, done: string | null): void {
    run.status = status
    run.endedAt = this.#clock.now()
    run.ended.abort()
    if (run.events === null) {
      this.#runs.delete(run.executionId)
      return
    }
    run.events.finish(done)
    this.detached.delete(run)
    if (done === null) {
      this.#remove(run)
      return
    }
    this.#noteEnd(run)
    this.#count(run)
    if (this.#kept.byteShortage(run.ownerId)) this.#makeRoom(run)
  }

  find(executionId: string): StreamedRun | null {
    const run = this.#runs.get(executionId) ?? null
    if (run === null || !this.#isExpired(run)) return run
    this.#remove(run)
    return null
  }

  /** Removes what has waited for long enough. */
  sweep(): void {
    for (const runs of this.#ended.values()) {
      for (const run of runs) {
        if (!this.#isExpired(run)) break
        this.#remove(run)
      }
    }
  }

  #isExpired({ endedAt }: StreamedRun): boolean {
    return endedAt !== null && endedAt + this.#limits.resumeMs <= this.#clock.now()
  }

  #makeRoom(run: StreamedRun): void {
    const { ownerId } = run
    const isShort = () => this.#kept.byteShortage(ownerId) !== null
    for (const oldest of this.#ended.get(ownerId) ?? []) {
      if (oldest === run || !isShort()) break
      this.#remove(oldest)
    }
    if (!isShort()) return
    run.events?.drop()
    this.#count(run)
    if (run.endedAt !== null && isShort()) this.#remove(run)
  }

  #count(run: StreamedRun): void {
    const bytes = run.events?.bytes ?? 0
    this.#kept.add(run.ownerId, { bytes: bytes - run.countedBytes })
    run.countedBytes = bytes
  }

  #remove(run: StreamedRun): void {
    const { ownerId, executionId } = run
    this.#runs.delete(executionId)
    const ended = this.#ended.get(ownerId)
    ended?.delete(run)
    if (ended?.size === 0) this.#ended.delete(ownerId)
    this.#kept.add(ownerId, { bytes: -run.countedBytes })
    run.countedBytes = 0
  }

  #noteEnd(run: StreamedRun): void {
    const ended = this.#ended.get(run.ownerId) ?? new Set()
    this.#ended.set(run.ownerId, ended.add(run))
  }
}
