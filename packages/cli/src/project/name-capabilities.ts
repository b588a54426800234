import type { FieldErrors } from '@svc/contract'

const POSITION = /^(?:manifest\.)?capabilities\.(\d+)(?:\.(.+))?$/
// An owner writes `input` and `output`; the manifest has them as the schemas of an action.
const SCHEMA = /^actions\.0\.(input|output)Schema(?=\.|$)/

/** Faults with the capability’s own name where the field says only its position in the list. */
export function nameCapabilities(faults: FieldErrors, capabilities: readonly { name: string }[]): FieldErrors {
  const named = Object.entries(faults).map(([field, messages]) => {
    const [, position, rest] = POSITION.exec(field) ?? []
    const capability = position === undefined ? undefined : capabilities[Number(position)]
    if (!capability) return [field.replace(/^manifest\./, ''), messages]
    const shown = `“${capability.name}”`
    // The control plane names it in the message, too.
    const own = messages.map((message) => message.replace(`of ${shown} `, ''))
    return [rest === undefined ? shown : `${shown} ${rest.replace(SCHEMA, '$1')}`, own]
  })
  return Object.fromEntries(named)
}
