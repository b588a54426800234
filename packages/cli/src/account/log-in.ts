import { abbreviateKey, DeviceLogin, WebUrl } from '@svc/contract'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import { makeFolder, readSavedKeys, saveKey } from '../control-plane/saved-keys.ts'
import type { CliDeps } from '../deps.ts'
import { isPlainText, readBaseUrl, urlOrBase } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { endSavedKey } from './end-saved-key.ts'
import { pollForKey } from './poll-for-key.ts'

const TIMEOUT_MS = 10_000
const MAX_MACHINE = 64

// The address is opened in a browser: it must be of the web, whatever the server says.
const WebLogin = DeviceLogin.extend({ verificationUri: WebUrl, verificationUriComplete: WebUrl })

type LoginInput = { readonly url?: string; readonly open: boolean }

/** `svc login`: the owner confirms this machine in the dashboard, and the key that it is given is saved. */
export async function logIn(deps: CliDeps, terminal: Terminal, { url, open }: LoginInput): Promise<void> {
  const env = surroundings(deps)
  const baseUrl = urlOrBase(url, env)
  const file = makeFolder(deps)
  // Before anything is asked: the file may be another program's.
  readSavedKeys(deps)
  if (isPlainText(baseUrl)) terminal.warn(`${baseUrl} is not https: the account key travels unencrypted.`)
  const login = await begin(deps, baseUrl)
  // On stderr, since it is no result, and with --quiet, too: nothing goes on without it.
  terminal.writeErr(`Open ${login.verificationUriComplete}\nand confirm the code ${login.userCode}.\n`)
  if (open && deps.stdout.isTTY && !terminal.isJson) deps.openInBrowser?.(login.verificationUriComplete)

  const done = terminal.progress('Waiting for the confirmation')
  const { account, keyId, key } = await pollForKey(deps, baseUrl, login).finally(done)
  const saved = { key, keyId, email: account.member?.email ?? account.email }
  const replaced = await saveKey(deps, baseUrl, saved).catch(async (error: unknown) => {
    await endSavedKey(deps, terminal, { baseUrl, saved })
    throw error
  })
  if (replaced) await endSavedKey(deps, terminal, { baseUrl, saved: replaced })

  const prefix = abbreviateKey(key)
  terminal.success(`Logged in to ${baseUrl} as ${saved.email}. The key ${prefix} is in ${file}.`)
  if (env['SVC_ACCOUNT_KEY']) terminal.warn('SVC_ACCOUNT_KEY is set, and is taken before the saved key.')
  if (readBaseUrl(env).baseUrl !== baseUrl)
    terminal.note(`Set SVC_BASE_URL to ${baseUrl}: commands use the key there alone.`)
  const { ownerId, email, tier } = account
  terminal.result({ baseUrl, account: { ownerId, email, tier, key: prefix }, keyId, file })
}

async function begin(deps: CliDeps, baseUrl: string): Promise<DeviceLogin> {
  const machine = deps.machine?.trim().slice(0, MAX_MACHINE) || 'unnamed machine'
  const input = { method: 'POST', path: '/v1/auth/device', body: { machine }, timeoutMs: TIMEOUT_MS } as const
  const answer = await request(deps, { baseUrl, bearer: null }, { ...input, answer: WebLogin })
  if (!answer.ok) throw refused(answer.refusal)
  return answer.value
}
