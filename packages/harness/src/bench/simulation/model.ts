/** What calls cost, milliseconds. Measured, or assumed where a machine or a network is not there. */
export interface Costs {
  /** Processor time of a replica: of a call, and of a transaction that it drives, whatever is in it. */
  replicaPerCall: number
  replicaPerTransaction: number
  /** The same of the database. A call is in two transactions, admission and settlement. */
  databasePerCall: number
  databasePerTransaction: number
  /** Of the callers and the endpoint, where they share the processors. */
  callerPerCall: number
  /** Until a commit is on the disk. */
  sync: number
  /** There and back, between a replica and its database; a transaction makes one for each of its statements. */
  roundTrip: number
  statementsPerTransaction: number
  /** Between the sending of a call and its answer, where nobody works. */
  endpoint: number
  /** Whether settlements hold rows that other settlements for the same owner want. */
  settlingLocks: boolean
}

export interface Layout {
  replicas: number
  /** Owners are spread over these by hash. */
  databases: number
  /** Processors of each database. */
  databaseProcessors: number
  /** Groups of replicas, each with databases of its own to which its owners' calls are led; 1 for none. */
  cells: number
  /** So many processors for everything; null where every replica and every database has its own. */
  sharedProcessors: number | null
}

export interface Demand {
  owners: number
  /** How unequal owners are: 0 for not at all, 1 for a market's. */
  exponent: number
  /** Callers that wait for their answer, or calls that come at random at a rate. */
  load: { kind: 'callers'; callers: number } | { kind: 'rate'; callsPerSecond: number }
}

export interface Plan {
  costs: Costs
  layout: Layout
  demand: Demand
  lengthMs: number
}

export interface Quantiles {
  p50: number
  p99: number
}

export interface SimulationResult {
  callsPerSecond: number
  /** From asking for admission until it is on the disk, milliseconds. */
  admission: Quantiles
  latency: Quantiles
  callsPerBatch: number
  transactionsPerCall: number
  /** Shares of their time: the mean of the replicas, and the busiest database. */
  replicaUse: number
  databaseUse: number
  /** Calls answered while it counted, of those that came meanwhile. */
  answeredShare: number
}
