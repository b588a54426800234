import type { StandardSchemaV1 } from '@svc/sdk'

export type Checked<Output> = StandardSchemaV1<unknown, Output> & {
  readonly '~standard': { readonly jsonSchema: Record<'input' | 'output', () => Record<string, unknown>> }
}

/** A Standard Schema that no library made: `check` returns the value or throws the issue’s message. */
export function handMadeSchema<Output>(check: (value: unknown) => Output | Promise<Output>): Checked<Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'by-hand',
      jsonSchema: {
        input: () => ({ type: 'object', title: 'input side' }),
        output: () => ({ type: 'object', title: 'output side' }),
      },
      async validate(value) {
        try {
          return { value: await check(value) }
        } catch (error) {
          return {
            issues: [{ message: error instanceof Error ? error.message : 'wrong', path: ['lines', { key: 0 }] }],
          }
        }
      },
    },
  }
}
