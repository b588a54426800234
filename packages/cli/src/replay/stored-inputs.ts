import { canonicalJson, type ExecutionSummary, isJsonObject, type JsonObject, Trace, TraceList } from '@svc/contract'
import type { z } from 'zod'
import type { Read } from './read-account.ts'

/** An input that a capability was called with. */
export type StoredInput = { readonly capability: string; readonly input: JsonObject }

const PAGE = 100
const MAX_EXECUTIONS = 1_000

export type StoredInputs = {
  /** Different ones, the newest first. */
  readonly inputs: readonly StoredInput[]
  /** Of inputs that were too large to be stored whole. */
  readonly cut: number
  readonly executions: number
}

/** Reads stored inputs of the named capabilities out of traces, from the newest back. */
export async function storedInputs(
  read: Read,
  { runtimeId, names, limit }: { runtimeId: string; names: ReadonlySet<string>; limit: number },
): Promise<StoredInputs> {
  const inputs = new Map<string, StoredInput>()
  const cut = new Set<string>()
  let executions = 0
  for await (const { executionId } of executionsOf(read, runtimeId)) {
    executions += 1
    const { capabilityCalls } = await read(`/v1/traces/${executionId}`, Trace.pick({ capabilityCalls: true }))
    for (const { callId, capability, effect, input } of capabilityCalls) {
      // A call that was a write when it was made is not repeated, whatever is declared today.
      if (!names.has(capability) || (effect ?? 'read') !== 'read' || !isJsonObject(input)) continue
      if (input['truncated'] === true && typeof input['preview'] === 'string') cut.add(callId)
      else inputs.set(canonicalJson([capability, input]), { capability, input })
    }
    if (inputs.size >= limit || executions >= MAX_EXECUTIONS) break
  }
  return { inputs: [...inputs.values()].slice(0, limit), cut: cut.size, executions }
}

async function* executionsOf(read: Read, runtimeId: string): AsyncGenerator<z.infer<typeof ExecutionSummary>> {
  let cursor = ''
  do {
    const page: TraceList = await read(`/v1/traces/runtime/${runtimeId}?limit=${PAGE}${cursor}`, TraceList)
    yield* page.traces.filter((trace) => trace.capabilityCalls > 0 && trace.status !== 'running')
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`
  } while (cursor !== '')
}
