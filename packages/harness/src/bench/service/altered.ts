import { copyServer, type TextEdit } from '../../support/server-copy.ts'

// What an enterprise plan's runtime is told of its rate limit.
const GRANTED = `{ outcome: 'admitted', grant: { ok: true, rate: { limit: 6000, remaining: 5999, resetMs: 10 } } }`

const NOT_DURABLE: readonly TextEdit[] = [
  {
    file: 'executions/admission-desk.js',
    from: 'async admit(request) {',
    to: `async admit(request) { if (request) return ${GRANTED};`,
  },
  {
    file: 'executions/settlement-desk.js',
    from: 'async settle(settlement) {',
    to: 'async settle(settlement) { if (settlement) return true;',
  },
]

/** A copy of the server whose two desks say yes at once: nothing is charged and nothing written of an execution. */
export function copyWithoutWrites(serverFolder: string): string {
  return copyServer(serverFolder, 'without-writes', NOT_DURABLE)
}

/** A copy that commits each admission and each settlement alone. */
export function copyWithoutBatches(serverFolder: string): string {
  return copyServer(serverFolder, 'without-batches', [
    { file: 'database/batch.js', from: 'maxBatch = 512', to: 'maxBatch = 1' },
  ])
}
