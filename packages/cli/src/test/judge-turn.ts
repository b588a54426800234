import { type Difference, differenceLines, shown } from '../json-differences.ts'
import { withoutTokenIn } from '../terminal/without-token.ts'
import { differencesFrom } from './expected-value.ts'
import { answerOf, callsOf, type PlayedCall, type PlayedTurn } from './play/played.ts'
import type { Expectation, ExpectedCall, ExpectedText } from './test-schema.ts'

/** An expectation that was not met. */
export type Unmet = {
  /** The field of the expectation, such as `expect.calls.0`. */
  readonly field: string
  readonly expected: string
  readonly was: string
  readonly differences: readonly Difference[]
}

/** What a turn was to be and was not; the end user’s token is compared, and hidden in what is told. */
export function judgeTurn(expected: Expectation, played: PlayedTurn, token: string | null): Unmet[] {
  const calls = callsOf(played.messages)
  const { finishReason } = expected
  const isError = played.finishReason === 'error'
  const end = finishReason ?? (expected.error ? 'error' : null)
  const unmetList = [
    ...played.problems.map((problem) => unmet('model', 'a conversation as the test has it', problem)),
    ...(end !== null && end !== played.finishReason
      ? [
          unmet(
            'expect.finishReason',
            end,
            played.error ? `${played.finishReason}: ${played.error}` : played.finishReason,
          ),
        ]
      : []),
    ...(end === null && isError ? [unmet('expect', 'a turn without an error', `error: ${played.error}`)] : []),
    ...judgeText('expect.error', expected.error, played.error ?? ''),
    ...judgeCalls(expected, calls, token),
    ...judgeText('expect.answer', expected.answer, answerOf(played.messages)),
  ]
  return withoutTokenIn(unmetList, token)
}

function judgeCalls(
  { calls: expected, inOrder }: Expectation,
  calls: readonly PlayedCall[],
  token: string | null,
): Unmet[] {
  if (expected === undefined) return []
  if (expected.length === 0 && calls.length > 0) return [unmet('expect.calls', 'no call', namesOf(calls))]
  const unmetCalls = expected.flatMap((call, at) => judgeCall(call, { field: `expect.calls.${at}`, calls, token }))
  if (unmetCalls.length > 0 || !inOrder) return unmetCalls
  let from = 0
  for (const call of expected) {
    const place = calls.findIndex((made, index) => index >= from && fits(call, made))
    if (place === -1)
      return [unmet('expect.inOrder', expected.map(({ capability }) => capability).join(', '), namesOf(calls))]
    from = place + 1
  }
  return []
}

type Judging = { readonly field: string; readonly calls: readonly PlayedCall[]; readonly token: string | null }

function judgeCall(call: ExpectedCall, { field, calls, token }: Judging): Unmet[] {
  const { times } = call
  const fitting = calls.filter((made) => fits(call, made)).length
  if (times === undefined ? fitting > 0 : fitting === times) return []
  const sameName = calls.filter(({ capability }) => capability === call.capability)
  const expected = `${sentenceOf(withoutTokenIn(call, token))}${times === undefined ? '' : `, ${timesText(times)}`}`
  if (fitting > 0) return [unmet(field, expected, `such a call, ${timesText(fitting)}`)]
  if (sameName.length === 0) return [unmet(field, expected, namesOf(calls))]
  // Of several calls the nearest one.
  const [nearest] = sameName.map((made) => ({ made, differences: differencesOf(call, made) })).sort(byDifferences)
  if (!nearest) return []
  return [
    { ...unmet(field, expected, callText(withoutTokenIn(nearest.made, token))), differences: nearest.differences },
  ]
}

function byDifferences(one: { differences: readonly unknown[] }, other: { differences: readonly unknown[] }): number {
  return one.differences.length - other.differences.length
}

function fits(call: ExpectedCall, made: PlayedCall): boolean {
  return call.capability === made.capability && differencesOf(call, made).length === 0
}

function differencesOf(call: ExpectedCall, made: PlayedCall): Difference[] {
  const under = (name: string, list: Difference[]) =>
    list.map((each) => ({ ...each, path: each.path === '' ? name : `${name}.${each.path}` }))
  const isFailed = made.error !== null
  return [
    ...(call.input ? under('input', differencesFrom(call.input, made.input)) : []),
    ...('output' in call && isFailed ? [{ path: 'error', expected: undefined, actual: made.error }] : []),
    ...('output' in call && !isFailed ? under('output', differencesFrom(call.output, made.output)) : []),
    ...(call.error && !isMet(call.error, made.error ?? '')
      ? [{ path: 'error', expected: call.error, actual: made.error ?? undefined }]
      : []),
  ]
}

function judgeText(field: string, expected: ExpectedText | undefined, actual: string): Unmet[] {
  if (!expected || isMet(expected, actual)) return []
  return [unmet(field, `a text that ${textSentence(expected)}`, actual === '' ? 'nothing' : actual)]
}

function isMet({ contains, matches, equals }: ExpectedText, text: string): boolean {
  if (contains !== undefined && !text.includes(contains)) return false
  if (equals !== undefined && text !== equals) return false
  return matches === undefined || new RegExp(matches, 'u').test(text)
}

function textSentence(expected: ExpectedText): string {
  return Object.entries(expected)
    .map(([verb, text]) => `${verb} “${text}”`)
    .join(' and ')
}

function sentenceOf({ capability, input, output, error }: ExpectedCall): string {
  return [
    capability,
    ...(input ? [shown(input)] : []),
    ...(output === undefined ? [] : [`→ ${shown(output)}`]),
    ...(error ? [`→ an error that ${textSentence(error)}`] : []),
  ].join(' ')
}

/** A call and its result on one line. */
function callText({ capability, input, output, error }: PlayedCall): string {
  return `${capability} ${shown(input)} → ${error === null ? shown(output) : `error: ${error}`}`
}

function namesOf(calls: readonly PlayedCall[]): string {
  return calls.length === 0 ? 'no call' : calls.map(({ capability }) => capability).join(', ')
}

function timesText(times: number): string {
  if (times === 0) return 'never'
  return times === 1 ? 'once' : `${times} times`
}

function unmet(field: string, expected: string, was: string): Unmet {
  return { field, expected, was, differences: [] }
}

/** The lines of an unmet expectation. */
export function unmetLines({ expected, was, differences }: Unmet): string[] {
  return [
    `expected  ${expected}`,
    `was       ${was}`,
    ...differenceLines(differences).map((line) => `          ${line}`),
  ]
}
