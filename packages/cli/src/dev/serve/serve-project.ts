import { dirname } from 'node:path'
import { createMemoryNonceStore } from '@svc/sdk'
import type { CliDeps } from '../../deps.ts'
import { CommandFailure, commandFailure, usageFailure } from '../../failures.ts'
import { DEFAULT_PORT } from '../../project/default-port.ts'
import { configFileOf } from '../../project/find-config.ts'
import { readEnvironmentFile } from '../../project/read-environment-file.ts'
import { countedCapabilities } from '../../terminal/counted-capabilities.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { untilInterrupted } from '../../until-interrupted.ts'
import type { ListedCapability } from '../list/listed-capability.ts'
import { printCapabilities } from '../list/print-capabilities.ts'
import { recordChat } from '../record/record-chat.ts'
import type { WorkerFailure } from '../worker/messages.ts'
import { answerRequest } from './answer-request.ts'
import { listen } from './listen.ts'
import type { Loaded } from './project-process.ts'
import { createServing } from './serving.ts'
import { watchFolder } from './watch-folder.ts'

const PERMISSIONS =
  'svc dev takes every end user to hold every permission: who holds which is for your own server to say.'
const WAITING = 'Nothing is served. Waiting for a change. (With --no-watch, a fault ends svc dev.)'

type Input = {
  readonly port: string | null
  readonly isWatching: boolean
  /** Where a chat is recorded; null where there is none. */
  readonly recordInto: string | null
}

/** `svc dev`: serves the capabilities until Ctrl-C, each version of the project’s files in a process of its own. */
export async function serveProject(
  deps: CliDeps,
  terminal: Terminal,
  { port, isWatching, recordInto }: Input,
): Promise<void> {
  const folder = dirname(configFileOf(deps))
  const nonceStore = createMemoryNonceStore()
  const serving = createServing({
    ...deps,
    nonceStore,
    onDeath: () => interruption.tell(deathOf(terminal, isWatching)),
  })
  const now = () => deps.timers.now()
  const handler = (request: Request) => answerRequest({ serving, terminal, now }, request)
  // First of all, so that a port that is taken is known before anything is loaded.
  const startPort = portOf(deps, { port, folder })
  const server = await listen(handler, startPort)
  const interruption = untilInterrupted()
  const tell = createTeller(terminal, { url: server.url, isUp: serving.isUp })
  const confirmed = new Set<string>()
  const load = async () => {
    const loaded = await serving.load()
    if (loaded?.ok) for (const { name, confirm } of loaded.capabilities) confirmed[confirm ? 'add' : 'delete'](name)
    return loaded
  }
  const reload = async (paths: readonly string[]) => {
    tell(await load(), paths)
    if (isElsewhere(deps, { port, folder, startPort }))
      terminal.note('The port has changed: start svc dev again for it.')
  }
  const watcher = isWatching ? watchFolder(folder, (paths) => void reload(paths)) : null
  try {
    const done = terminal.progress('Loading the project')
    const loaded = await Promise.race([load().finally(done), interruption.happened.then(() => null)])
    // A script waits for the document, and nobody is there to mend anything.
    if (loaded && !loaded.ok && (!isWatching || terminal.isJson)) throw failureOf(loaded.failure)
    tell(loaded, [])
    const recording = recordInto && { folder: recordInto, isConfirmed: (name: string) => confirmed.has(name) }
    const chat = recording ? [recordChat(deps, terminal, recording).then(() => null)] : []
    const failure = await Promise.race([interruption.happened, ...chat])
    if (failure) throw failure
  } finally {
    watcher?.close()
    await Promise.all([server.close(), serving.close()])
    interruption.release()
  }
}

/** Says how each load ended: the first that went well with the list and the address, later ones in a line. */
function createTeller(terminal: Terminal, { url, isUp }: { url: string; isUp: () => boolean }) {
  let hasAnnounced = false
  const tellFault = ({ message, lines }: WorkerFailure) => {
    terminal.fail(message, lines)
    terminal.note(isUp() ? 'The version before goes on answering.' : WAITING)
  }
  const announce = (capabilities: readonly ListedCapability[]) => {
    hasAnnounced = true
    printCapabilities(terminal, capabilities)
    if (capabilities.some(({ permissions }) => permissions.length > 0)) terminal.note(PERMISSIONS)
    terminal.success(`Serving ${countedCapabilities(capabilities.length)} at ${url} (Ctrl-C ends it)`)
    terminal.result({ url, capabilities: [...capabilities] })
  }
  return (loaded: Loaded | null, paths: readonly string[]): void => {
    // Null: a change during the load began another one, which has its own words.
    if (loaded === null) return
    if (!loaded.ok) tellFault(loaded.failure)
    else if (!hasAnnounced) announce(loaded.capabilities)
    else terminal.note(`${changed(paths)}: reloaded, ${countedCapabilities(loaded.capabilities.length)}`)
  }
}

function changed([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${first} changed` : `${first} and ${others.length} more changed`
}

// While files are watched, the next change may mend it.
function deathOf(terminal: Terminal, isWatching: boolean): CommandFailure | null {
  const message = 'The project’s own code ended its process.'
  if (!isWatching) return new CommandFailure('project', message)
  terminal.fail(message, [WAITING])
  return null
}

function failureOf({ kind, message, lines }: WorkerFailure): CommandFailure {
  return new CommandFailure(kind, message, lines)
}

function isElsewhere(deps: Pick<CliDeps, 'env'>, { startPort, ...where }: Where & { startPort: number }): boolean {
  try {
    return portOf(deps, where) !== startPort
  } catch {
    // The next start reports its fault.
    return true
  }
}

type Where = { readonly port: string | null; readonly folder: string }

// `.env` is read into a copy: each version of the project reads it anew.
function portOf(deps: Pick<CliDeps, 'env'>, { port, folder }: Where): number {
  const env = { ...deps.env }
  readEnvironmentFile(env, folder)
  const given = port ?? (env['PORT'] || String(DEFAULT_PORT))
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
  const field = port === null ? 'PORT' : '--port'
  const message = `${field} must be a number from 0 to 65535, and is “${given}”.`
  throw port === null ? commandFailure(message) : usageFailure(message)
}
