import { getHeapStatistics } from 'node:v8'
import { DEPLOYMENT_LIMITS } from '@svc/contract'

const KiB = 1024
const MiB = 1024 * KiB
const HEAP_LIMIT = getHeapStatistics().heap_size_limit

/** The service's bounds. Times in milliseconds, sizes in bytes; each is set by `SVC_LIMIT_` and its name in capitals. */
export const DEFAULT_LIMITS = {
  /** Model calls per execution. */
  steps: 25,
  /** Capability calls under way at once within a step. */
  parallelCalls: 5,
  /** Capability calls per execution. */
  calls: 100,
  /** Tokens of one execution, input and output together; once they are used, the model is not called again. */
  executionTokens: 200_000,
  /** Outputs of one execution, all together; once they are larger, no further call is made. */
  outputBytes: 8 * MiB,
  /** What the model says in one execution, arguments of calls included; its turn ends there, as at its own length. */
  textBytes: 512 * KiB,
  /** Capability calls under way at once to one runtime's endpoint, over all its executions on one server. */
  endpointCalls: 50,
  /** Connections open at once on one server. More than its file descriptors would stop health checks, too. */
  connections: 10_000,
  /** Executions under way at once on one server, of all accounts; each has its share. */
  executions: 2_000,
  /** Heap that request bodies, transcripts and answers in flight may take on one server. */
  heldBytes: Math.floor(HEAP_LIMIT / 4),
  /** Manifests, as text, of the runtimes and of the deployments that one server remembers: so many of each. */
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
  /** What the model is given of a capability's answer. */
  modelOutputBytes: 64 * KiB,
  /** What a trace keeps of one payload. */
  storedBytes: 64 * KiB,
  /** Deployments that one runtime may make in an hour. */
  deploymentsPerHour: 60,
  /** Deployments that are kept of one runtime, beside those that executions name. */
  deploymentsKept: 100,
  /** How long a call waits for a person's approval. */
  approvalMs: 15 * 60_000,
  /** Calls of one account that wait for a person at once. */
  pendingApprovals: 1_000,
  /** Room on the embedded store's disk below which nothing is taken that would grow it. */
  freeDiskBytes: 256 * MiB,
  messages: 200,
  metadataBytes: 8 * KiB,
  endUserTokenBytes: 8 * KiB,
}

/** Of what an account may have stored for a while, the share that callers without a key may fill. */
export const ANONYMOUS_SHARE = 0.25

export type Limits = { [Name in keyof typeof DEFAULT_LIMITS]: number }
