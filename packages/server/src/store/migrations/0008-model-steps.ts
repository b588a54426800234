import type { ColumnTypes } from './column-types.ts'

/** When each turn of the model began, how long it took, and its tokens: a list as JSON text. */
export function modelSteps({ text }: ColumnTypes): string[] {
  return [`alter table executions add column model_steps ${text}`]
}
