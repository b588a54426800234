import type { JsonObject } from '@svc/contract'
import { shown } from '../../json-differences.ts'
import { withoutTokenIn } from '../../terminal/without-token.ts'
import { differencesFrom } from '../expected-value.ts'
import type { ConversationFile } from '../read-test-file.ts'
import type { Mock } from '../test-schema.ts'

/** `problem`: the capability has mocks, and none of them fits. */
export type Mocked = { readonly output: unknown } | { readonly error: string; readonly problem?: string }

/** The mocks of one test; they note which of them were taken. */
export function createMocks(mocks: ConversationFile['mocks'], token: string | null) {
  const taken = new Set<Mock>()
  return {
    /** What takes the place of the call; null where the capability has no mock. */
    answer(capability: string, input: JsonObject): Mocked | null {
      const own = Object.hasOwn(mocks, capability) ? mocks[capability] : undefined
      if (!own) return null
      const mock = own.find((each) => each.input === undefined || differencesFrom(each.input, input).length === 0)
      if (!mock) {
        const error = `No mock of “${capability}” fits this input.`
        return {
          error,
          problem: `${error.slice(0, -1)}: ${shown(withoutTokenIn(input, token))}. Add one, or one without input for all others.`,
        }
      }
      taken.add(mock)
      return mock.error === undefined ? { output: mock.output } : { error: mock.error }
    },
    /** The fields of mocks that no call has met. */
    unused(): string[] {
      return Object.entries(mocks).flatMap(([name, list]) =>
        list.flatMap((mock, at) =>
          taken.has(mock) ? [] : [list.length > 1 ? `mocks.${name}.${at}` : `mocks.${name}`],
        ),
      )
    },
  }
}
export type Mocks = ReturnType<typeof createMocks>
