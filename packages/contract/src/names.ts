import * as z from 'zod'
import { PROBE_CAPABILITY } from './capability-calls.ts'

const SEGMENT = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

/**
 * The fault of a capability name, as a sentence that offers a repaired name, or null.
 * The rule is what both model tool-calling APIs and discovery name segments accept: a letter, then up to 63 of `A-Za-z0-9-`.
 */
export function capabilityNameProblem(name: string): string | null {
  if (name.toLowerCase() === PROBE_CAPABILITY)
    return `“${name}” is reserved: the service probes endpoints by this name.`
  if (SEGMENT.test(name)) return null
  const repaired = repairCapabilityName(name)
  const advice = repaired ? ` Try “${repaired}”.` : ''
  return `“${shown(name)}” is not a capability name: ${reason(name)}.${advice}`
}

/** The nearest valid capability name, `order.status` → `order-status`; null when nothing of it can be kept. */
export function repairCapabilityName(name: string): string | null {
  const repaired = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64)
    .replace(/-+$/, '')
  return SEGMENT.test(repaired) ? repaired : null
}

function reason(name: string): string {
  if (name === '') return 'it is empty'
  const offending = Array.from(name).find((character) => !/[A-Za-z0-9-]/.test(character))
  if (offending === '.') return 'it contains a dot, which separates the namespace from the name'
  if (offending !== undefined) return `the character “${offending}” is not allowed (letters, digits and hyphens are)`
  if (!/^[A-Za-z]/.test(name)) return `it must start with a letter, not with “${name.charAt(0)}”`
  return `it has ${name.length} characters, at most 64 are allowed`
}

function shown(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}

/** A capability’s name; see {@link capabilityNameProblem}. */
export const CapabilityName = z
  .string()
  .superRefine((name, context) => {
    const problem = capabilityNameProblem(name)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({
    description: 'A letter, then up to 63 letters, digits or hyphens. Unique in a deployment, whatever the case.',
    pattern: SEGMENT.source,
    examples: ['find-shoes'],
  })

/** The fault of a discovery namespace, or null. Valid are two or more dot-separated segments, such as `com.example.shop`. */
export function namespaceProblem(namespace: string): string | null {
  const segments = namespace.split('.')
  const bad = segments.find((segment) => !SEGMENT.test(segment))
  if (bad !== undefined) {
    return `“${shown(namespace)}” is not a namespace: the segment “${shown(bad)}” must be a letter followed by at most 63 letters, digits or hyphens.`
  }
  if (segments.length < 2)
    return `“${namespace}” is not a namespace: it needs two or more segments, such as “com.example.${namespace}”.`
  return null
}

/** A reverse-DNS namespace; see {@link namespaceProblem}. */
export const Namespace = z
  .string()
  .superRefine((namespace, context) => {
    const problem = namespaceProblem(namespace)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({
    description: 'Two or more segments in the manner of reverse DNS, each of the form of a capability name.',
    pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}(\\.[A-Za-z][A-Za-z0-9-]{0,63})+$',
    examples: ['com.example.shop'],
  })

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

/** A version after Semantic Versioning 2.0. */
export const SemVer = z
  .string()
  .max(256)
  .regex(SEMVER, 'must be a semantic version with three numbers, such as 1.0.0.')
  .meta({ description: 'A version after Semantic Versioning 2.0.', examples: ['1.4.0'] })
