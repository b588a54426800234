import { parentPort } from 'node:worker_threads'
import { toSecret } from '../secrets/secret.ts'
import type { AskedAnswer, WrittenAnswer } from './answer-thread.ts'
import { nameOfFailure } from './failures.ts'
import { readAnswer } from './read-answer.ts'

/** The thread that reads answers. Its first message says that it is ready; every other one is an answer. */
const port = parentPort
if (port === null) throw new Error('runs as a worker thread only')

port.on('message', ({ body, token, limits }: AskedAnswer) => {
  const read = readAnswer({ body, endUserToken: toSecret(token), limits })
  const answer: WrittenAnswer = read.ok
    ? { ok: true, output: read.output.text, redacted: read.redacted === read.output ? null : read.redacted.text }
    : { ok: false, failure: { ...read.failure, name: nameOfFailure(read.failure) } }
  port.postMessage(answer)
})
port.postMessage('ready')
