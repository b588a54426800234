import type { FieldErrors } from '@svc/contract'

/** Configuration errors for a terminal, one variable a line. */
export function reportFaults(faults: FieldErrors): string {
  const lines = Object.entries(faults).map(([variable, messages]) => `  ${variable} ${messages.join(' ')}`)
  return `The configuration is not valid:\n${lines.join('\n')}\n`
}
