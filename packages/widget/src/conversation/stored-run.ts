import { isRecord } from '../client/read-json.ts'
import type { ExecutionRun } from '../client/resumed-events.ts'
import type { ConversationStorage } from './stored-conversation.ts'

/** The run behind an answer that was under way when the page went. */
export interface StoredRun extends ExecutionRun {
  answerId: string
}

export function runText({ answerId, executionId, resumeKey }: StoredRun): string {
  return JSON.stringify({ answerId, executionId, resumeKey })
}

/** Null where nothing was under way, and where the storage cannot be read. */
export function loadRun(storage: ConversationStorage | null): StoredRun | null {
  try {
    const stored: unknown = JSON.parse(storage?.load() ?? 'null')
    if (!isRecord(stored)) return null
    const { answerId, executionId, resumeKey } = stored
    if (typeof answerId !== 'string' || typeof executionId !== 'string' || typeof resumeKey !== 'string') return null
    return { answerId, executionId, resumeKey }
  } catch {
    return null
  }
}
