import type { FieldErrors } from '@svc/contract'

const POSITION = /^(?:manifest\.)?capabilities\.(\d+)(?:\.(.+))?$/

/** Faults with the capability’s own name where the field says only its position in the list. */
export function nameCapabilities(faults: FieldErrors, capabilities: readonly { name: string }[]): FieldErrors {
  const named = Object.entries(faults).map(([field, messages]) => {
    const [, position, rest] = POSITION.exec(field) ?? []
    const capability = position === undefined ? undefined : capabilities[Number(position)]
    if (!capability) return [field.replace(/^manifest\./, ''), messages]
    return [rest === undefined ? `“${capability.name}”` : `“${capability.name}” ${rest}`, messages]
  })
  return Object.fromEntries(named)
}
