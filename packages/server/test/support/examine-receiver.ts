import type { DoctorRow } from '@svc/contract'
import { createDispatcher } from '../../src/dispatch/dispatch.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { Secret } from '../../src/secrets/secret.ts'

export interface ExaminedReceiver {
  url: string
  runtimeId: string
  secret: string
}

/** The rows that the doctor fails for a receiver on this machine, by this machine’s clock. */
export async function failedRows({ url, runtimeId, secret }: ExaminedReceiver): Promise<DoctorRow[]> {
  const dispatcher = createDispatcher({ limits: DEFAULT_LIMITS, allowLocalEndpoints: true, clock: Date })
  const secrets = { current: new Secret(secret), previous: null }
  const target = { ownerId: 'owner', runtimeId, endpoint: url, secrets }
  let calls = 0
  const ids = () => ({ executionId: 'exec_1', callId: `call_${++calls}` })
  try {
    const { rows } = await dispatcher.examine({ target, ids })
    if (rows.length < 16) throw new Error(`the examination ended early: ${JSON.stringify(rows)}`)
    return rows.filter(({ ok }) => !ok)
  } finally {
    await dispatcher.close()
  }
}
