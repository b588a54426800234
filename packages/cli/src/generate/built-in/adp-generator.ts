import { buildDiscoveryManifest, type DiscoveryResult, type Generator, type GeneratorContext } from '@svc/contract'
import { publicInputs } from './public-inputs.ts'
import { toDocument } from './to-document.ts'
import { unknownRuntime } from './unknown-runtime.ts'

const FILE = 'agent-discovery.json'

/** Writes the discovery manifest as the control plane will publish it, but for the moment of its deployment. */
export const adpGenerator: Generator = {
  name: 'adp',
  inputs: publicInputs,
  generate(context) {
    const built = build(context)
    return built.ok ? [{ path: FILE, contents: toDocument(built.document) }] : []
  },
}

/** Why there is no discovery manifest to write, or null. None of the reasons keeps a deployment from going on. */
export function adpProblem(context: GeneratorContext): string | null {
  const built = build(context)
  return built.ok ? null : built.problem
}

/** Whether nothing but the runtime is missing for the manifest to be written. */
export function adpAwaitsRuntime(context: GeneratorContext): boolean {
  return buildAnyway(context).ok && !isKnown(context)
}

function build(context: GeneratorContext): DiscoveryResult {
  return adpAwaitsRuntime(context) ? { ok: false, problem: unknownRuntime(FILE) } : buildAnyway(context)
}

function buildAnyway({ manifest, runtimeId, runtimeName, baseUrl }: GeneratorContext): DiscoveryResult {
  return buildDiscoveryManifest({ manifest, runtimeId: runtimeId ?? '', runtimeName: runtimeName ?? '', baseUrl })
}

function isKnown({ manifest, runtimeId, runtimeName }: GeneratorContext): boolean {
  return runtimeId !== null && (manifest.website !== undefined || runtimeName !== null)
}
