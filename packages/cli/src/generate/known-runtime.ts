import type { RuntimeStatus } from '@svc/contract'
import type { Credential } from '../control-plane/answer.ts'
import { digest } from './digest.ts'
import { readGeneratedRuntime } from './generated-runtime.ts'
import type { GenerationCache, RememberedRuntime } from './generation-cache.ts'

const MAX_REMEMBERED = 20

/** Which runtime the project is, as far as it is known. */
export type KnownRuntime = {
  readonly runtimeId: string | null
  readonly name: string | null
  /** The control plane’s own address, as it publishes it; the tool may know it by another one. Null is not known. */
  readonly publicUrl: string | null
}

type Where = { readonly baseUrl: string; readonly runtimeId: string | null; readonly folder: string }

/** The runtime of a deploy key: what the control plane said when it was last asked, else that of the project. */
export function runtimeOfKey({ runtimes }: GenerationCache, project: Where & Credential): KnownRuntime {
  return runtimes[accountOf(project)] ?? runtimeOfProject({ runtimes }, { ...project, isKeyed: true })
}

/**
 * The runtime where no key tells: `SVC_RUNTIME_ID`, else the one that the generated files name, which a fresh clone has without
 * a cache, else the only one that this project was ever deployed to there.
 */
export function runtimeOfProject(
  { runtimes }: Pick<GenerationCache, 'runtimes'>,
  { baseUrl, runtimeId, folder, isKeyed = false }: Where & { isKeyed?: boolean },
): KnownRuntime {
  const generated = readGeneratedRuntime(folder)
  const wanted = runtimeId ?? generated?.runtimeId ?? null
  const there = Object.values(runtimes).filter((runtime) => runtime.baseUrl === baseUrl)
  const heardOf = there.find((runtime) => runtime.runtimeId === wanted)
  if (heardOf || (generated && generated.runtimeId === wanted)) return heardOf ?? generated ?? unheardOf(wanted)
  const isOnlyOne = new Set(there.map((runtime) => runtime.runtimeId)).size === 1
  return (wanted === null && !isKeyed && isOnlyOne && there.at(-1)) || unheardOf(wanted)
}

function unheardOf(runtimeId: string | null): KnownRuntime {
  return { runtimeId, name: null, publicUrl: null }
}

/** The runtimes of deploy keys, as the control plane told them. The oldest entries are dropped first. */
export function withRuntime(
  { runtimes }: GenerationCache,
  who: Credential,
  status: Pick<RuntimeStatus, 'runtimeId' | 'name' | 'baseUrl'>,
): GenerationCache['runtimes'] {
  const { runtimeId } = status
  const name = status.name ?? null
  const publicUrl = status.baseUrl ?? null
  const runtime: RememberedRuntime = { baseUrl: who.baseUrl, runtimeId, name, publicUrl }
  const account = accountOf(who)
  const known = runtimes[account]
  if (JSON.stringify(known) === JSON.stringify(runtime)) return runtimes
  const others = Object.entries(runtimes).filter(([other]) => other !== account)
  return Object.fromEntries([...others, [account, runtime] as const].slice(-MAX_REMEMBERED))
}

// The key itself is nowhere on disk but in the owner’s own .env.
function accountOf({ baseUrl, apiKey }: Credential): string {
  return digest(`${baseUrl}\n${apiKey}`)
}
