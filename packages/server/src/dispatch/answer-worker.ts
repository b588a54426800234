import { serveJobs } from '../lib/serve-jobs.ts'
import { toSecret } from '../secrets/secret.ts'
import type { AskedAnswer, WrittenAnswer } from './answer-thread.ts'
import { nameOfFailure } from './failures.ts'
import { readAnswer } from './read-answer.ts'

/** The thread that reads answers. */
serveJobs(({ body, token, limits }: AskedAnswer): [WrittenAnswer] => {
  const read = readAnswer({ body, endUserToken: toSecret(token), limits })
  if (!read.ok) return [{ ok: false, failure: { ...read.failure, name: nameOfFailure(read.failure) } }]
  return [{ ok: true, output: read.output.text, redacted: read.redacted === read.output ? null : read.redacted.text }]
})
