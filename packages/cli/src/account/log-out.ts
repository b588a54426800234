import { readSavedKeys, saveKey } from '../control-plane/saved-keys.ts'
import type { CliDeps } from '../deps.ts'
import { urlOrBase } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { endSavedKey } from './end-saved-key.ts'

/** `svc logout`: revokes the saved key and removes it; it is removed, too, where it cannot be revoked. */
export async function logOut(deps: CliDeps, terminal: Terminal, { url }: { readonly url?: string }): Promise<void> {
  const baseUrl = urlOrBase(url, surroundings(deps))
  const saved = readSavedKeys(deps)[baseUrl] ? await saveKey(deps, baseUrl, null) : null
  if (!saved) {
    terminal.line(`There is no saved key for ${baseUrl}.`)
    return terminal.result({ baseUrl, email: null, isRevoked: false })
  }
  const isRevoked = await endSavedKey(deps, terminal, { baseUrl, saved })
  terminal.success(`Logged out ${saved.email} at ${baseUrl}.`)
  terminal.result({ baseUrl, email: saved.email, isRevoked })
}
