import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { waitAside } from '../load/held-request.ts'
import { notesOf } from './request-notes.ts'

/**
 * The same parts for the work of one request, which is not held while it waits for another thread or another host: for a
 * password's hash, for the judgement of schemas, for the payment provider. Each of these bounds how many wait for it.
 */
export function waitingAside(request: FastifyRequest, deps: Deps): Deps {
  const { held } = notesOf(request)
  const aside = <T>(work: Promise<T>) => waitAside(held, work)
  const { auth, payments, schemas } = deps
  return {
    ...deps,
    auth: {
      ...auth,
      inLine: (work) =>
        auth.inLine((line) =>
          work({
            ...line,
            hash: (password) => aside(line.hash(password)),
            verify: (hash, password) => aside(line.verify(hash, password)),
          }),
        ),
    },
    payments: {
      ...payments,
      open: (order) => aside(payments.open(order)),
      check: (payment) => aside(payments.check(payment)),
      close: (payment) => aside(payments.close(payment)),
    },
    schemas: { ...schemas, judge: (...asked) => aside(schemas.judge(...asked)) },
  }
}
