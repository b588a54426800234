import { getHeapStatistics } from 'node:v8'
import { DEPLOYMENT_LIMITS } from '@svc/contract'

/** The service's bounds. Times in milliseconds, sizes in bytes; each is set by `SVC_LIMIT_` and its name in capitals. */
export interface Limits {
  /** Model calls per execution. */
  steps: number
  /** Capability calls under way at once within a step. */
  parallelCalls: number
  /** Capability calls per execution. */
  calls: number
  /** Tokens of one execution, input and output together; once they are used, the model is not called again. */
  executionTokens: number
  /** Outputs of one execution, all together; once they are larger, no further call is made. */
  outputBytes: number
  /** What the model says in one execution, arguments of calls included; its turn ends there, as at its own length. */
  textBytes: number
  /** Capability calls under way at once to one runtime's endpoint, over all its executions on one server. */
  endpointCalls: number
  /** Connections open at once on one server. More than its file descriptors would stop health checks, too. */
  connections: number
  /** Executions under way at once on one server, of all accounts; each has its share. */
  executions: number
  /** Heap that request bodies, transcripts and answers in flight may take on one server. */
  heldBytes: number
  /** Manifests, as text, of the runtimes and of the deployments that one server remembers: so many of each. */
  cachedBytes: number
  /** Events of one detached stream that wait to be resumed; `done` waits beside them. */
  eventBytes: number
  /** The same of all streams on one server. */
  resumeBytes: number
  /** How long events wait after the end of their execution. */
  resumeMs: number
  /** How late the event loop may be before new executions are refused. */
  loopDelayMs: number
  dispatchMs: number
  modelMs: number
  executionMs: number
  bodyBytes: number
  jsonDepth: number
  /** Values in a request's body, objects, lists and what they hold. */
  jsonValues: number
  capabilities: number
  schemaBytes: number
  /** A capability's answer as received. */
  responseBytes: number
  /** Values in a capability's answer, objects, lists and what they hold. */
  responseValues: number
  /** What the model is given of a capability's answer. */
  modelOutputBytes: number
  /** What a trace keeps of one payload. */
  storedBytes: number
  /** Deployments that one runtime may make in an hour. */
  deploymentsPerHour: number
  /** Deployments that are kept of one runtime, beside those that executions name. */
  deploymentsKept: number
  /** How long a call waits for a person's approval. */
  approvalMs: number
  /** Calls of one account that wait for a person at once. */
  pendingApprovals: number
  /** Room on the embedded store's disk below which nothing is taken that would grow it. */
  freeDiskBytes: number
  messages: number
  metadataBytes: number
  endUserTokenBytes: number
}

const KiB = 1024
const MiB = 1024 * KiB
const HEAP_LIMIT = getHeapStatistics().heap_size_limit

export const DEFAULT_LIMITS: Limits = {
  steps: 25,
  parallelCalls: 5,
  calls: 100,
  executionTokens: 200_000,
  outputBytes: 8 * MiB,
  textBytes: 512 * KiB,
  endpointCalls: 50,
  connections: 10_000,
  executions: 2_000,
  heldBytes: Math.floor(HEAP_LIMIT / 4),
  cachedBytes: Math.min(64 * MiB, Math.floor(HEAP_LIMIT / 32)),
  eventBytes: 256 * KiB,
  resumeBytes: Math.floor(HEAP_LIMIT / 16),
  resumeMs: 300_000,
  loopDelayMs: 50,
  dispatchMs: 30_000,
  modelMs: 120_000,
  executionMs: 300_000,
  ...DEPLOYMENT_LIMITS,
  responseBytes: MiB,
  responseValues: 50_000,
  modelOutputBytes: 64 * KiB,
  storedBytes: 64 * KiB,
  deploymentsPerHour: 60,
  deploymentsKept: 100,
  approvalMs: 15 * 60_000,
  pendingApprovals: 1_000,
  freeDiskBytes: 256 * MiB,
  messages: 200,
  metadataBytes: 8 * KiB,
  endUserTokenBytes: 8 * KiB,
}
