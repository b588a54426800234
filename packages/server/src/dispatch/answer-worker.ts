import { serveJobs } from '../lib/serve-jobs.ts'
import { toSecret } from '../secrets/secret.ts'
import type { AnswerJob, AnswerJobResult } from './answer-thread.ts'
import { nameOfFailure } from './failures.ts'
import { readAnswer } from './read-answer.ts'

serveJobs(({ token, ...answer }: AnswerJob): [AnswerJobResult] => {
  const read = readAnswer({ ...answer, endUserToken: toSecret(token) })
  // The name is looked up by the identity of the failure, which a message between threads does not keep.
  if (!read.ok) return [{ ok: false, failure: { ...read.failure, name: nameOfFailure(read.failure) } }]
  return [{ ok: true, output: read.output.text, redacted: read.redacted === read.output ? null : read.redacted.text }]
})
