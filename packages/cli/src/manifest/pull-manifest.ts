import { mkdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { DiscoveryManifest, isJsonObject, type JsonObject, RuntimeId } from '@svc/contract'
import type { Refusal } from '../control-plane/answer.ts'
import { refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps, Environment } from '../deps.ts'
import { type CommandFailure, commandFailure, usageFailure } from '../failures.ts'
import { baseUrlOf } from '../project/base-url.ts'
import { findConfig } from '../project/find-config.ts'
import { readEnvironmentFile } from '../project/read-environment-file.ts'
import { printableJson } from '../terminal/printable.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { reasonOf } from '../thrown.ts'
import { writeAtomically } from '../write-atomically.ts'

const TIMEOUT_MS = 10_000

// Where a site publishes it: the path below the domain that agents look at.
const PUBLISHED = 'public/.well-known/agent-discovery.json'

type Input = { readonly runtime: string | null; readonly out: string | null; readonly isPrinted: boolean }

/**
 * `svc manifest pull`: what other people’s agents are told, checked, and written into the project around; printed where there is
 * none. Asks without a credential.
 */
export async function pullManifest(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  if (input.isPrinted && input.out !== null) throw usageFailure('Take --stdout or --out, not both.')
  const { env, projectFolder } = surroundings(deps)
  const runtimeId = runtimeIdOf(input, env)
  const baseUrl = baseUrlOf(env)
  const caller = { baseUrl, bearer: null }
  const answer = await request(deps, caller, {
    method: 'GET',
    path: `/v1/runtime/${runtimeId}/manifest`,
    timeoutMs: TIMEOUT_MS,
    answer: WholeManifest,
  })
  if (!answer.ok) throw notServed({ baseUrl, runtimeId }, answer.refusal)
  const file = fileOf(deps, input, projectFolder)
  deliver(deps, terminal, { runtimeId, manifest: answer.value, file })
}

// As it came: fields that this version does not know are a reader’s, too.
const WholeManifest = {
  safeParse(value: unknown): { success: true; data: JsonObject } | { success: false } {
    const isManifest = isJsonObject(value) && DiscoveryManifest.safeParse(value).success
    return isManifest ? { success: true, data: value } : { success: false }
  },
}

function fileOf(deps: CliDeps, { out, isPrinted }: Input, projectFolder: string | null): string | null {
  if (out !== null) return resolve(deps.cwd, out)
  if (isPrinted || projectFolder === null) return null
  const file = join(projectFolder, PUBLISHED)
  try {
    mkdirSync(dirname(file), { recursive: true })
  } catch (error) {
    throw commandFailure(`${PUBLISHED} cannot be written (${reasonOf(error)}).`, ['Take --out or --stdout.'], error)
  }
  return file
}

type Pulled = { readonly runtimeId: string; readonly manifest: JsonObject; readonly file: string | null }

function deliver(deps: CliDeps, terminal: Terminal, { runtimeId, manifest, file }: Pulled): void {
  const shown = file === null ? null : relative(deps.cwd, file)
  if (file !== null && shown !== null) {
    save(file, `${JSON.stringify(manifest, null, 2)}\n`, shown)
    terminal.success(`The manifest of ${runtimeId} is in ${shown}.`)
  } else if (!terminal.isJson) {
    terminal.writeOut(`${printableJson(manifest)}\n`)
  }
  terminal.result({ runtimeId, file: shown, manifest })
}

function save(file: string, text: string, shownPath: string): void {
  try {
    writeAtomically(file, text)
  } catch (error) {
    const message = `${shownPath} cannot be written (${reasonOf(error)}).`
    throw commandFailure(message, ['Name a file in a folder that is there.'], error)
  }
}

// The `.env` of a project counts where there is one; its configuration is not run for this.
function surroundings(deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>): {
  env: Environment
  projectFolder: string | null
} {
  const env = { ...deps.env }
  const configFile = findConfig(deps)
  const projectFolder = configFile === null ? null : dirname(configFile)
  if (projectFolder !== null) readEnvironmentFile(env, projectFolder)
  return { env, projectFolder }
}

function runtimeIdOf(input: Input, env: Environment): string {
  const runtimeId = input.runtime ?? (env['SVC_RUNTIME_ID'] || null)
  if (runtimeId === null) throw usageFailure('Which runtime? Name it with --runtime rt_…, or set SVC_RUNTIME_ID.')
  const parsed = RuntimeId.safeParse(runtimeId)
  if (parsed.success) return parsed.data
  const field = input.runtime === null ? 'SVC_RUNTIME_ID' : '--runtime'
  throw usageFailure(`${field} ${parsed.error.issues[0]?.message ?? 'must be a runtime’s id, rt_….'}`)
}

type Asked = { readonly baseUrl: string; readonly runtimeId: string }

function notServed({ baseUrl, runtimeId }: Asked, refusal: Refusal): CommandFailure {
  if (refusal.status === 404) {
    return commandFailure(`${runtimeId} publishes no manifest at ${baseUrl}.`, [
      'Either there is no such runtime there, or nothing was deployed to it yet: `svc deploy` publishes it.',
      'If it is registered elsewhere, set SVC_BASE_URL to that control plane’s address.',
    ])
  }
  if (refusal.status === 400) {
    return commandFailure(`${runtimeId} is deployed without what a manifest needs: ${refusal.message}`, [
      'Its owner adds `website` or `adp.namespace` to svc.config.ts and runs `svc deploy`.',
    ])
  }
  return refused(refusal)
}
