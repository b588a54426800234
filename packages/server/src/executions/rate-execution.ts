import type { Feedback, StoredFeedback } from '@svc/contract'
import { notFound } from '../errors.ts'
import type { ResumeRequest } from '../streams/resume.ts'
import { isResumeKey } from '../streams/resume-key-rules.ts'
import type { ExecutionDeps } from './deps.ts'
import { putFeedback } from './feedback-store.ts'

/** Stores what the end user thought of a streamed execution that has ended. One 404 for a wrong id, key or runtime. */
export async function rateExecution(
  { db, keyring }: Pick<ExecutionDeps, 'db' | 'keyring'>,
  rated: ResumeRequest,
  value: Feedback | null,
): Promise<StoredFeedback> {
  const isTheirs = isResumeKey(keyring, rated, rated.resumeKey)
  const isStored = isTheirs && (await putFeedback(db, rated, value))
  if (!isStored) throw notFound('The execution')
  return { executionId: rated.executionId, feedback: value }
}
