import type { ScenarioContext } from '../../support/scenario.ts'
import { copyServer, type TextEdit } from '../../support/server-copy.ts'

const NOT_DURABLE: readonly TextEdit[] = [
  {
    file: 'executions/admissions.js',
    from: 'async admit(request) {',
    to: `async admit(request) { if (request) return { outcome: 'admitted' };`,
  },
  {
    file: 'executions/settlements.js',
    from: 'async settle(settlement) {',
    to: 'async settle(settlement) { if (settlement) return true;',
  },
]

type Copied = Pick<ScenarioContext, 'serverFolder' | 'onEnd'>

/** A copy of the server whose admissions and settlements say yes at once: nothing is charged and nothing written of an execution. */
export function copyWithoutWrites(context: Copied): string {
  return copyServer(context.serverFolder, NOT_DURABLE, context)
}

/** A copy that commits each admission and each settlement alone. */
export function copyWithoutBatches(context: Copied): string {
  const edit = { file: 'executions/batch-writer.js', from: 'MAX_BATCH = 512', to: 'MAX_BATCH = 1' }
  return copyServer(context.serverFolder, [edit], context)
}
