import type { FieldErrors } from '@svc/contract'
import { columns } from './columns.ts'

/** One line for each fault: the field, then what is wrong with it. */
export function fieldLines(faults: FieldErrors): string[] {
  return columns(
    Object.entries(faults).flatMap(([field, messages]) => messages.map((message) => [field, message] as const)),
  )
}
