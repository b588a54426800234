import { usageOf } from '../../support/process-usage.ts'
import type { ServerProcess } from '../../support/server.ts'
import type { Store } from '../../support/store.ts'

/** One of the servers that are attacked. */
export interface AttackedServer {
  server: ServerProcess
  store: Pick<Store, 'location'>
}

/** Texts of this installation that no answer may hold, whichever server gives it. */
export function insidesOf(attacked: readonly Pick<AttackedServer, 'store'>[]): string[] {
  return attacked.map(({ store }) => store.location)
}

/** Memory of each. Throws where a process is gone. */
export function residentBytes(attacked: readonly { server: Pick<ServerProcess, 'pid'> }[]): number[] {
  return attacked.map(({ server }) => usageOf(server.pid).residentBytes)
}
