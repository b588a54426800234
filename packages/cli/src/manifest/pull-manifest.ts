import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { DiscoveryManifest, ErrorBody, isJsonObject, type JsonObject, RuntimeId } from '@svc/contract'
import { exchange } from '../control-plane/exchange.ts'
import { notAControlPlane, refused } from '../control-plane/faults.ts'
import type { CliDeps, Environment } from '../deps.ts'
import { commandFailure, projectFailure, serverFailure, usageFailure } from '../failures.ts'
import { baseUrlProblem, DEFAULT_BASE_URL, normalizeBaseUrl } from '../project/base-url.ts'
import { readEnvironmentFile } from '../project/read-environment-file.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

const TIMEOUT_MS = 10_000
// A deployment manifest holds 1 MiB at most by default; what is made of it is of that order.
const MAX_BYTES = 8 * 1024 * 1024

type Input = { readonly runtime: string | null; readonly out: string | null }

/** `svc manifest pull`: what strangers’ agents are told, checked and printed or written. Asks without a credential. */
export async function pullManifest(deps: CliDeps, terminal: Terminal, input: Input): Promise<void> {
  const env = surroundings(deps)
  const runtimeId = runtimeIdOf(input, env)
  const baseUrl = baseUrlOf(env)
  const path = `/v1/runtime/${runtimeId}/manifest`
  const answer = await exchange(deps, baseUrl, { method: 'GET', path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  if (answer.location !== null) {
    throw serverFailure(`${baseUrl} answered with a redirect to ${shown(answer.location)}.`, [
      'Redirects are not followed. Set SVC_BASE_URL to the control plane’s own address.',
    ])
  }
  const body = parse(answer.text)
  if (answer.status !== 200) throw notServed({ baseUrl, runtimeId }, answer.status, body)
  const manifest = isJsonObject(body) && DiscoveryManifest.safeParse(body).success ? body : null
  if (!manifest) throw notAControlPlane(baseUrl, `GET ${path} did not answer with a discovery manifest`)
  hand(deps, terminal, { runtimeId, manifest, out: input.out })
}

type Pulled = { readonly runtimeId: string; readonly manifest: JsonObject; readonly out: string | null }

function hand(deps: CliDeps, terminal: Terminal, { runtimeId, manifest, out }: Pulled): void {
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  if (out !== null) {
    const file = resolve(deps.cwd, out)
    save(file, text, relative(deps.cwd, file))
    terminal.success(`The manifest of ${runtimeId} is in ${relative(deps.cwd, file)}.`)
  } else if (!terminal.isJson) {
    terminal.writeOut(`${printableJson(manifest)}\n`)
  }
  terminal.result({ runtimeId, file: out, manifest })
}

function save(file: string, text: string, shownPath: string): void {
  try {
    writeFileAtomically(file, text)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw commandFailure(
      `${shownPath} cannot be written (${reason}).`,
      ['Name a file in a folder that is there.'],
      error,
    )
  }
}

// The `.env` of a project counts where there is one; its configuration is not run for this.
function surroundings(deps: Pick<CliDeps, 'env' | 'cwd' | 'configFile'>): Environment {
  const env = { ...deps.env }
  const folder = deps.configFile === undefined ? projectFolder(deps.cwd) : dirname(deps.configFile)
  if (folder !== null) readEnvironmentFile(env, folder)
  return env
}

function projectFolder(folder: string): string | null {
  if (existsSync(join(folder, 'svc.config.ts'))) return folder
  return dirname(folder) === folder ? null : projectFolder(dirname(folder))
}

function runtimeIdOf(input: Input, env: Environment): string {
  const runtimeId = input.runtime ?? (env['SVC_RUNTIME_ID'] || null)
  if (runtimeId === null) throw usageFailure('Which runtime? Name it with --runtime rt_…, or set SVC_RUNTIME_ID.')
  const parsed = RuntimeId.safeParse(runtimeId)
  if (parsed.success) return parsed.data
  const field = input.runtime === null ? 'SVC_RUNTIME_ID' : '--runtime'
  throw usageFailure(`${field} ${parsed.error.issues[0]?.message ?? 'must be a runtime’s id, rt_….'}`)
}

function baseUrlOf(env: Environment): string {
  const baseUrl = env['SVC_BASE_URL'] || DEFAULT_BASE_URL
  const problem = baseUrlProblem(baseUrl)
  if (problem) throw projectFailure(`SVC_BASE_URL ${problem}`)
  return normalizeBaseUrl(baseUrl)
}

type Asked = { readonly baseUrl: string; readonly runtimeId: string }

function notServed({ baseUrl, runtimeId }: Asked, status: number, body: unknown) {
  const refusal = ErrorBody.safeParse(body)
  if (!refusal.success) return notAControlPlane(baseUrl, `it answered ${status}`)
  const message = shown(refusal.data.error.message)
  if (status === 404) {
    return commandFailure(`${runtimeId} publishes no manifest at ${baseUrl}.`, [
      'Either there is no such runtime there, or nothing was deployed to it yet: `svc deploy` publishes it.',
      'If it is registered elsewhere, set SVC_BASE_URL to that control plane’s address.',
    ])
  }
  if (status === 400) {
    return commandFailure(`${runtimeId} is deployed without what a manifest needs: ${message}`, [
      'Its owner adds `website` or `adp.namespace` to svc.config.ts and runs `svc deploy`.',
    ])
  }
  return refused({ status, ...refusal.data.error, message })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Control characters in an answer could rewrite what the terminal shows.
function shown(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
