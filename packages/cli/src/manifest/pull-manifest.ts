import { dirname, relative, resolve } from 'node:path'
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

type Input = { readonly runtime: string | null; readonly out: string | null }

/** `svc manifest pull`: what strangers’ agents are told, checked and printed or written. Asks without a credential. */
export async function pullManifest(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  const env = surroundings(deps)
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
  deliver(deps, terminal, { runtimeId, manifest: answer.value, out: input.out })
}

// As it came: fields that this version does not know are a reader’s, too.
const WholeManifest = {
  safeParse(value: unknown): { success: true; data: JsonObject } | { success: false } {
    const isManifest = isJsonObject(value) && DiscoveryManifest.safeParse(value).success
    return isManifest ? { success: true, data: value } : { success: false }
  },
}

type Pulled = { readonly runtimeId: string; readonly manifest: JsonObject; readonly out: string | null }

function deliver(deps: CliDeps, terminal: Terminal, { runtimeId, manifest, out }: Pulled): void {
  if (out !== null) {
    const file = resolve(deps.cwd, out)
    save(file, `${JSON.stringify(manifest, null, 2)}\n`, relative(deps.cwd, file))
    terminal.success(`The manifest of ${runtimeId} is in ${relative(deps.cwd, file)}.`)
  } else if (!terminal.isJson) {
    terminal.writeOut(`${printableJson(manifest)}\n`)
  }
  terminal.result({ runtimeId, file: out, manifest })
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
function surroundings(deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>): Environment {
  const env = { ...deps.env }
  const configFile = findConfig(deps)
  if (configFile !== null) readEnvironmentFile(env, dirname(configFile))
  return env
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
