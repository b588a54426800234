import type { Clock } from '../client/clock.ts'
import type { ExecutionClient } from '../client/execution-client.ts'
import type { Visibility } from '../client/visibility.ts'
import type { ConversationStorage } from './stored-conversation.ts'

export interface ConversationOptions {
  /** Without `resume` and `cancel` an answer ends with its connection. */
  client: ConversationClient
  /** Null, the default: the conversation ends with the page. */
  storage?: ConversationStorage | null | undefined
  /** Where the key of the answer under way is kept, so that it goes on after a reload. Of this tab alone: it is a secret. */
  runStorage?: ConversationStorage | null | undefined
  /** Where the keys are kept by which a call is approved, or an answer rated, after a reload. Of this tab alone: they are secrets. */
  approvalStorage?: ConversationStorage | null | undefined
  /** The page’s own origin: on localhost, addresses of it may be linked to over `http:`. */
  pageOrigin?: string | null | undefined
  clock?: Clock | undefined
  visibility?: Visibility | undefined
  /** Makes ids of exchanges and calls. */
  newId?: ((prefix: string) => string) | undefined
}

/** A client, or what a conversation needs of one. */
export type ConversationClient = Pick<ExecutionClient, 'stream' | 'callCapability'> &
  Partial<Pick<ExecutionClient, 'resume' | 'cancel' | 'decideApproval' | 'readApproval' | 'hasEndUser' | 'rate'>>
