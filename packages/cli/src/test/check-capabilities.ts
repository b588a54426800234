import type { Capability, FieldErrors } from '@svc/contract'
import { nearestName } from '../nearest-name.ts'
import { type ConversationFile, type FileFault, faultsOf } from './read-test-file.ts'

/** Every name in a test that is none of the project’s capabilities. */
export function unknownCapabilities(test: ConversationFile, capabilities: readonly Capability[]): FileFault[] {
  const names = capabilities.map(({ name }) => name)
  const unknown = namesIn(test).filter(([, name]) => !names.includes(name))
  const faults: FieldErrors = Object.fromEntries(unknown.map(([field, name]) => [field, [sentence(name, names)]]))
  return faultsOf(faults, test)
}

function namesIn({ mocks, turns }: ConversationFile): [field: string, name: string][] {
  const inTurns = turns.flatMap(({ model = [], expect: { calls = [] } }, turn) => [
    ...model.flatMap((step, at) =>
      step.calls.map(({ call }): [string, string] => [`turns.${turn}.model.${at}.call`, call]),
    ),
    ...calls.map(({ capability }, at): [string, string] => [`turns.${turn}.expect.calls.${at}.capability`, capability]),
  ])
  return [...Object.keys(mocks).map((name): [string, string] => [`mocks.${name}`, name]), ...inTurns]
}

function sentence(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  const meant = nearest === null ? `There are ${names.join(', ') || 'none'}.` : `Did you mean ${nearest}?`
  return `names “${name}”, which is no capability of this project. ${meant}`
}
