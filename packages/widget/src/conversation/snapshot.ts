import type { Feedback } from '@svc/contract'
import type { Problem } from './problem.ts'
import type { Action, Pending, ProductCard } from './svc-output.ts'

/** A conversation at one moment. Never changed: what changes is a new object, what does not stays the same one. */
export interface ConversationSnapshot {
  readonly turns: readonly Turn[]
  /** An answer is under way: nothing can be sent until it has ended or is stopped. */
  readonly isBusy: boolean
}

/** A conversation in which nothing was said: what a server renders, which has no storage. */
export const NOTHING_SAID: ConversationSnapshot = { turns: [], isBusy: false }

export type Turn = UserTurn | AssistantTurn

export interface UserTurn {
  readonly role: 'user'
  readonly id: string
  readonly text: string
}

export interface AssistantTurn {
  readonly role: 'assistant'
  readonly id: string
  readonly state: 'running' | 'completed' | 'failed'
  /** The messages and calls, in order. */
  readonly blocks: readonly Block[]
  /** What capabilities gave to be shown, in the order of their calls. There once the answer has ended. */
  readonly outputs: readonly Output[]
  /** Calls that wait for the end user’s approval, and what became of them. There once the answer has ended. */
  readonly approvals: readonly Approval[]
  /** Calls that were refused because nobody is signed in; null where there are none, and once they are asked for again. */
  readonly signIn: SignIn | null
  /** On `failed` alone: why, and whether to ask again. */
  readonly problem: Problem | null
  /**
   * Names of capabilities that were called before the answer broke off, and whose results never came: asked again, the
   * model may call them once more. Empty on `completed`.
   */
  readonly mayRepeat: readonly string[]
  /** The step budget ran out before the model was done. */
  readonly isCut: boolean
  /** The execution behind it; null until it has ended, and after a reload. */
  readonly execution: AnswerExecution | null
  /** What the end user thinks of it; null where that cannot be told to the service, as in another tab. */
  readonly feedback: { readonly value: Feedback | null } | null
}

/** `asked`: the end user wants to sign in, and the answer goes on once the page gives a token. */
export interface SignIn {
  readonly state: 'needed' | 'asked'
  readonly callIds: readonly string[]
  /** The names of the capabilities, each once. */
  readonly capabilities: readonly string[]
}

export interface AnswerExecution {
  readonly id: string
  readonly durationMs: number
  readonly totalTokens: number
}

export type Block = TextBlock | CapabilityBlock

/** Markdown. */
export interface TextBlock {
  readonly type: 'text'
  readonly id: string
  readonly text: string
}

export interface CapabilityBlock {
  readonly type: 'capability'
  /** The call’s id. */
  readonly id: string
  readonly name: string
  /** `unknown`: no answer came, and it may have been done. */
  readonly state: 'running' | 'completed' | 'failed' | 'unknown'
  readonly durationMs: number | null
  /** On `failed` and `unknown` alone, where the service said it: why. */
  readonly detail: string | null
}

export interface Output {
  /** The id of the call that it came from. */
  readonly id: string
  readonly cards: readonly ProductCard[]
  readonly actions: readonly Action[]
  readonly wait: Wait | null
}

/** A capability that is asked until it is settled. Settled, its output has gone to the model as the next turn. */
export interface Wait {
  readonly state: 'waiting' | 'settled' | 'expired' | 'refused' | 'cancelled'
  readonly pending: Pending
  /** Milliseconds since the epoch. */
  readonly deadlineAt: number
}

/** A call that is made once the end user approves it. Its key is in no snapshot. */
export interface Approval {
  readonly id: string
  readonly callId: string
  readonly capability: string
  readonly title: string
  readonly lines: readonly string[]
  /** In whole units of the currency. */
  readonly amount: { readonly value: number; readonly currency: string } | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly state: ApprovalState
  /** On `pending`, why a decision did not arrive; on `failed` and `unknown`, the service’s words in place of a result. */
  readonly problem: Problem | null
}

/**
 * `pending` until it is decided, `deciding` until the result is there. `failed`: approved, and the call failed. `unknown`:
 * approved, and nobody can say whether it took effect. `refused`: the service does not know it any more. `elsewhere`: its
 * key is in another tab.
 */
export type ApprovalState =
  | 'pending'
  | 'deciding'
  | 'approved'
  | 'failed'
  | 'unknown'
  | 'declined'
  | 'expired'
  | 'refused'
  | 'elsewhere'
