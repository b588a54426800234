import { createEventQueue, type EventQueue } from './event-queue.ts'
import type { Costs, Layout, Plan } from './model.ts'
import { createLocks, createResource, createThread, type Locks, type Resource } from './resources.ts'

export interface SimulatedDatabase {
  processors: Resource
  admissionLocks: Locks
  settlementLocks: Locks
  /** Processor time that it has spent. */
  busyMs: number
}

/** Everything that takes time. */
export interface World {
  events: EventQueue
  costs: Costs
  replicas: readonly Resource[]
  databases: readonly SimulatedDatabase[]
  /** The callers and the endpoint, where they are one program beside the others. */
  callers: Resource | null
}

export function createWorld({ costs, layout }: Pick<Plan, 'costs' | 'layout'>): World {
  const events = createEventQueue()
  const shared = layout.sharedProcessors
  const processors = shared === null ? null : createResource(events, Math.ceil(shared))
  return {
    events,
    costs: shared === null ? costs : slowed(costs, Math.ceil(shared) / shared),
    replicas: Array.from({ length: layout.replicas }, () => createThread(events, processors)),
    databases: Array.from({ length: layout.databases }, () => createDatabase(events, layout, processors)),
    callers: processors === null ? null : createThread(events, processors),
  }
}

function createDatabase(events: EventQueue, layout: Layout, processors: Resource | null): SimulatedDatabase {
  return {
    processors: processors ?? createResource(events, layout.databaseProcessors),
    admissionLocks: createLocks(),
    settlementLocks: createLocks(),
    busyMs: 0,
  }
}

/** Processors of which other programs take a part are as good as slower ones. */
function slowed(costs: Costs, factor: number): Costs {
  return {
    ...costs,
    replicaPerCall: costs.replicaPerCall * factor,
    replicaPerTransaction: costs.replicaPerTransaction * factor,
    databasePerCall: costs.databasePerCall * factor,
    databasePerTransaction: costs.databasePerTransaction * factor,
    callerPerCall: costs.callerPerCall * factor,
  }
}
