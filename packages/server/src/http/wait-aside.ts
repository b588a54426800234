import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { waitAside } from '../load/held-request.ts'
import { notesOf } from './request-notes.ts'

/** The same parts for the work of one request, which is not held while it waits for the judgement of schemas. */
export function waitingAside(request: FastifyRequest, deps: Deps): Deps {
  const { held } = notesOf(request)
  const { schemaJudge } = deps
  return {
    ...deps,
    schemaJudge: { ...schemaJudge, judge: (...asked) => waitAside(held, schemaJudge.judge(...asked)) },
  }
}
