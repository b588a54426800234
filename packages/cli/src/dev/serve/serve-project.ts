import { dirname } from 'node:path'
import { createMemoryNonceStore } from '@svc/sdk'
import type { CliDeps } from '../../deps.ts'
import { CommandFailure, commandFailure, usageFailure } from '../../failures.ts'
import { findConfig } from '../../project/find-config.ts'
import { readEnvironmentFile } from '../../project/read-environment-file.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { ListedCapability } from '../list/listed-capability.ts'
import { printCapabilities } from '../list/print-capabilities.ts'
import type { WorkerFailure } from '../worker/messages.ts'
import { answerRequest } from './answer-request.ts'
import { listen } from './listen.ts'
import type { Loaded } from './project-process.ts'
import { createServing } from './serving.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { watchFolder } from './watch-folder.ts'

const DEFAULT_PORT = 8790

type Input = { readonly port: string | null; readonly isWatching: boolean }

/** `svc dev`: serves the capabilities until Ctrl-C, each version of the project’s files in a process of its own. */
export async function serveProject(deps: CliDeps, terminal: Terminal, { port, isWatching }: Input): Promise<void> {
  const folder = dirname(deps.configFile ?? findConfig(deps.cwd))
  const interruption = untilInterrupted()
  const nonceStore = createMemoryNonceStore()
  const serving = createServing({
    ...deps,
    nonceStore,
    onDeath: () => interruption.tell(deathOf(terminal, isWatching)),
  })
  const now = () => deps.timers.now()
  const handler = (request: Request) => answerRequest({ serving, terminal, now }, request)
  // First of all, so that a port that is taken is known before anything is loaded.
  const server = await listen(handler, portOf(deps, { port, folder }))
  const tell = createTeller(terminal, { url: server.url, isUp: serving.isUp })
  const reload = async (paths: readonly string[]) => tell(await serving.load(), paths)
  const watcher = isWatching ? watchFolder(folder, (paths) => void reload(paths)) : null
  try {
    const stop = terminal.progress('Loading the project')
    const loaded = await Promise.race([serving.load().finally(stop), interruption.happened.then(() => null)])
    if (loaded && !loaded.ok && !isWatching) throw failureOf(loaded.failure)
    tell(loaded, [])
    const failure = await interruption.happened
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
    terminal.note(isUp() ? 'The version before goes on answering.' : 'Nothing is served. Waiting for a change.')
  }
  const announce = (capabilities: readonly ListedCapability[]) => {
    hasAnnounced = true
    printCapabilities(terminal, capabilities)
    terminal.success(`Serving ${counted(capabilities.length)} at ${url} (Ctrl-C ends it)`)
    terminal.result({ url, capabilities: [...capabilities] })
  }
  return (loaded: Loaded | null, paths: readonly string[]): void => {
    // Null: a change during the load began another one, which has its own words.
    if (loaded === null) return
    if (!loaded.ok) tellFault(loaded.failure)
    else if (!hasAnnounced) announce(loaded.capabilities)
    else terminal.note(`${changed(paths)}: reloaded, ${counted(loaded.capabilities.length)}`)
  }
}

function changed([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${first} changed` : `${first} and ${others.length} more changed`
}

// While files are watched, the next change may mend it.
function deathOf(terminal: Terminal, isWatching: boolean): CommandFailure | null {
  const message = 'The project’s own code ended its process.'
  if (!isWatching) return new CommandFailure('project', message)
  terminal.fail(message, ['Nothing is served. Waiting for a change.'])
  return null
}

function failureOf({ kind, message, lines }: WorkerFailure): CommandFailure {
  return new CommandFailure(kind, message, lines)
}

// `.env` is read into a copy: each version of the project reads it anew.
function portOf(deps: Pick<CliDeps, 'env'>, { port, folder }: { port: string | null; folder: string }): number {
  const env = { ...deps.env }
  readEnvironmentFile(env, folder)
  const given = port ?? (env['PORT'] || String(DEFAULT_PORT))
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
  const field = port === null ? 'PORT' : '--port'
  const message = `${field} must be a number from 0 to 65535, and is “${given}”.`
  throw port === null ? commandFailure(message) : usageFailure(message)
}

function counted(count: number): string {
  return count === 1 ? '1 capability' : `${count} capabilities`
}
