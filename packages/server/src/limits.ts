import { getHeapStatistics } from 'node:v8'
import { DEPLOYMENT_LIMITS } from '@svc/contract'

const KiB = 1024
const MiB = 1024 * KiB
const HEAP_LIMIT = getHeapStatistics().heap_size_limit

/** The service's bounds. Times in milliseconds, sizes in bytes; each is set by `SVC_LIMIT_` and its name in capitals. */
export const DEFAULT_LIMITS = {
  /** Model calls per execution. */
  steps: 25,
  /** Concurrent capability calls within a step. */
  parallelCalls: 5,
  /** Capability calls per execution. */
  calls: 100,
  /** Tokens of one execution, input and output together; once they are used, the model is not called again. */
  executionTokens: 200_000,
  /** Outputs of one execution, all together; once they are larger, no further call is made. */
  outputBytes: 8 * MiB,
  /** Text that the model generates in one execution, arguments of calls included; a longer turn ends there. */
  textBytes: 512 * KiB,
  /** Concurrent capability calls to one runtime's endpoint, over all its executions on one server. */
  endpointCalls: 50,
  /** Connections open at once on one server. More than its file descriptors would stop health checks, too. */
  connections: 10_000,
  /** Concurrent executions on one server, of all accounts; each account has its share. */
  executions: 2_000,
  /** Heap that request bodies, transcripts and answers in flight may take on one server. */
  heldBytes: Math.floor(HEAP_LIMIT / 4),
  /** Cached manifests of runtimes on one server, as text; the same again for those of deployments. */
  cachedBytes: Math.min(64 * MiB, Math.floor(HEAP_LIMIT / 32)),
  /** Events of one detached stream that wait to be resumed; `done` waits beside them. */
  eventBytes: 256 * KiB,
  /** The same of all streams on one server. */
  resumeBytes: Math.floor(HEAP_LIMIT / 16),
  /** How long events wait after the end of their execution. */
  resumeMs: 300_000,
  /** How late the event loop may be before new executions are refused. */
  loopDelayMs: 50,
  dispatchMs: 30_000,
  /** Reading the keys of an issuer of end users, its metadata included. */
  issuerMs: 8_000,
  modelMs: 120_000,
  executionMs: 300_000,
  ...DEPLOYMENT_LIMITS,
  /** A capability's answer as received. */
  responseBytes: MiB,
  /** Values in a capability's answer, objects, lists and what they hold. */
  responseValues: 50_000,
  /** The part of a capability's answer that the model is given. */
  modelOutputBytes: 64 * KiB,
  /** The part of one payload that a trace keeps. */
  storedBytes: 64 * KiB,
  /** Deployments that one runtime may make in an hour, and promotions that one account may. */
  deploymentsPerHour: 60,
  /** Deployments that are kept of one runtime, beside those that executions name. */
  deploymentsKept: 100,
  /** How long a call waits for a person's approval. */
  approvalMs: 15 * 60_000,
  /** Pending approvals of one account. */
  pendingApprovals: 1_000,
  /** Free space on the embedded store's disk below which the service refuses new data. */
  freeDiskBytes: 256 * MiB,
  messages: 200,
  metadataBytes: 8 * KiB,
  endUserTokenBytes: 8 * KiB,
}

/** The share of an account's temporary storage that callers without a key may fill. */
export const ANONYMOUS_SHARE = 0.25

export type Limits = { [Name in keyof typeof DEFAULT_LIMITS]: number }
