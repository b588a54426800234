import type { ApprovalAnswer } from '@svc/contract'
import { ClientError } from '../client/client-error.ts'
import type { Clock } from '../client/clock.ts'
import type { ExecutionClient } from '../client/execution-client.ts'
import type { Visibility } from '../client/visibility.ts'
import { isOpen, standing } from './approval.ts'
import { type Exchange, withApproval } from './exchange.ts'
import { problemOf } from './problem.ts'
import type { Approval } from './snapshot.ts'

interface ApprovalsDeps {
  client: Partial<Pick<ExecutionClient, 'decideApproval' | 'readApproval'>>
  clock: Clock
  visibility: Visibility
  exchanges(): readonly Exchange[]
  replace(exchange: Exchange): void
  /** Called once a result of an approval is among what the model has still to be told. */
  settled(): void
}

export type Decision = 'approve' | 'decline'

/** The approvals of a conversation: decided here, or watched until somebody else has decided, or nobody in time. */
export interface Approvals {
  decide(id: string, decision: Decision): void
  /** Asks where each open one stands, now, when the page is returned to, and once its time is over. */
  resume(): void
  suspend(): void
}

const CHECK_MS = 5000
// The service’s clock decides; this device’s may be ahead of it.
const OVERDUE_CHECK_MS = 60_000
// Timers of more than 24 days end at once: a clock of the end user's that is months behind would ask without a pause.
const LONGEST_CHECK_MS = 3_600_000
const FINAL: ReadonlySet<ClientError['kind']> = new Set(['unauthorized', 'forbidden', 'not_found', 'invalid'])

export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { client, clock, visibility } = deps
  const deciding = new Set<string>()
  const timers = new Map<string, () => void>()
  let leave: (() => void) | null = null

  const find = (id: string) => findIn(deps.exchanges(), id)

  function set(id: string, change: Partial<Approval>): void {
    const found = find(id)
    if (found) deps.replace(withApproval(found.exchange, { ...found.approval, ...change }))
  }

  async function decide(id: string, decision: Decision): Promise<void> {
    const approvalKey = find(id)?.exchange.keys[id]
    if (approvalKey === undefined || !client.decideApproval) return
    set(id, { state: 'deciding', problem: null })
    deciding.add(id)
    try {
      hear(id, await client.decideApproval({ approvalId: id, approvalKey, decision }))
    } catch (error) {
      // To decide once more is safe: the service gives the first decision.
      set(id, { state: isFinal(error) ? 'refused' : 'pending', problem: problemOf(error, clock.now()) })
    }
    deciding.delete(id)
    watch(id)
  }

  async function check(id: string): Promise<void> {
    const approvalKey = find(id)?.exchange.keys[id]
    if (approvalKey === undefined || deciding.has(id) || !client.readApproval) return
    try {
      const answer = await client.readApproval({ approvalId: id, approvalKey })
      if (!deciding.has(id)) hear(id, answer)
    } catch (error) {
      // That it cannot be asked for just now says nothing of the approval.
      if (isFinal(error) && !deciding.has(id)) set(id, { state: 'refused' })
    }
    watch(id)
  }

  function hear(id: string, answer: ApprovalAnswer): void {
    const found = find(id)
    if (!found) return
    const exchange = decided(found, answer)
    deps.replace(exchange)
    if (exchange.untold.length > 0) deps.settled()
  }

  function watch(id: string): void {
    timers.get(id)?.()
    timers.delete(id)
    const approval = find(id)?.approval
    if (!leave || !approval || !isOpen(approval)) return
    timers.set(
      id,
      clock.after(nextCheckMs(approval, clock.now()), () => void check(id)),
    )
  }

  function checkAll(): void {
    for (const id of openIn(deps.exchanges())) void check(id)
  }

  return {
    decide(id, decision) {
      if (find(id)?.approval.state === 'pending' && !deciding.has(id)) void decide(id, decision)
    },
    resume() {
      for (const id of openIn(deps.exchanges())) if (!timers.has(id)) watch(id)
      if (leave) return
      leave = visibility.onVisible(checkAll)
      checkAll()
    },
    suspend() {
      leave?.()
      leave = null
      for (const callOff of timers.values()) callOff()
      timers.clear()
    },
  }
}

function nextCheckMs({ state, problem, expiresAt }: Approval, nowMs: number): number {
  // A decision that was sent and not answered may have arrived.
  if (state === 'deciding' || (problem && problem.kind !== 'no_token'))
    return Math.max(CHECK_MS, (problem?.retryAt ?? 0) - nowMs)
  return expiresAt > nowMs ? Math.min(expiresAt - nowMs, LONGEST_CHECK_MS) : OVERDUE_CHECK_MS
}

interface Found {
  exchange: Exchange
  approval: Approval
}

function findIn(exchanges: readonly Exchange[], id: string): Found | null {
  for (const exchange of exchanges) {
    const approval = exchange.answer.approvals.find((one) => one.id === id)
    if (approval) return { exchange, approval }
  }
  return null
}

function openIn(exchanges: readonly Exchange[]): string[] {
  return exchanges.flatMap(({ answer }) => answer.approvals.filter(isOpen).map(({ id }) => id))
}

// In one step with the result, so that no reload finds it decided and the model without word of it.
function decided({ exchange, approval }: Found, answer: ApprovalAnswer): Exchange {
  const changed = standing(approval, answer)
  const now = withApproval(exchange, changed)
  if (isOpen(changed) || !answer.result) return now
  const told = { role: 'tool' as const, parts: [answer.result] }
  // A decision made in another tab goes on there; here the next question tells the model.
  if (approval.state === 'pending' && !approval.problem) return { ...now, received: [...now.received, told] }
  return { ...now, untold: [...now.untold, [told]] }
}

function isFinal(error: unknown): boolean {
  return error instanceof ClientError && FINAL.has(error.kind)
}
