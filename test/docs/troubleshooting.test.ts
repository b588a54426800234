import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECEIVER_REFUSALS } from '@svc/contract'
import { expect, test } from 'vitest'
import { FAILURES } from '../../packages/server/src/dispatch/failures.ts'
import { CANCELLED, MODEL_FAILURES } from '../../packages/server/src/model/model-failure.ts'
import { ROOT } from '../support/source-tree.ts'
import { textLiterals } from '../support/text-literals.ts'

const read = (page: string) => readFileSync(join(ROOT, 'docs', page), 'utf8')
const messages = read('reference/messages.md')
const pages = [messages, read('guides/troubleshooting.md'), read('operating/troubleshooting.md')]

/** What stands in code quotes in the first column of each table: words that somebody sees and looks for. */
function symptomsIn(page: string): string[] {
  return [...page.matchAll(/^\| (?!---)(.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  )
}

/** Said by Node, the system, or a library. */
const FOREIGN = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'CERT_…',
  'corrupted migrations: previously executed migration',
  'http://127.0.0.1',
]

test('every message that the pages on troubleshooting quote is one that the sources can say', () => {
  const symptoms = pages.flatMap(symptomsIn)
  expect(symptoms.length).toBeGreaterThan(100)
  const literals = textLiterals(['contract', 'sdk', 'cli', 'demo-model', 'server'])
  const unsaid = symptoms.filter((message) => !FOREIGN.includes(message) && !isSaid(message, literals))
  expect(unsaid).toEqual([])
}, 60_000)

test('every refusal of the SDK’s handler has a row with its status, and so has every sentence of a failed call or model', () => {
  const codes = [...messages.matchAll(/`([a-z_]+)` \((\d{3})\)/g)].map(([, code = '', status]) => [
    code,
    Number(status),
  ])
  expect(Object.fromEntries(codes)).toMatchObject(RECEIVER_REFUSALS)
  const sentences = [...Object.values(FAILURES).map(({ message }) => message), ...MODEL_FAILURES]
  // A caller that cancels has left, and is shown nothing.
  const shown = sentences.filter((sentence) => sentence !== FAILURES.cancelled.message && sentence !== CANCELLED)
  const symptoms = symptomsIn(messages)
  expect(shown.filter((sentence) => !symptoms.includes(sentence))).toEqual([])
})

test('a message counts as said where one text of the sources holds it, with its variable parts', () => {
  const literals = ['The key … is not valid at ….', 'The route', '… was not found.']
  expect(isSaid('The key … is not valid at …', literals)).toBe(true)
  expect(isSaid('The route was not found.', literals)).toBe(true)
  expect(isSaid('The key is not valid', literals)).toBe(false)
  expect(isSaid('The road was not found.', literals)).toBe(false)
})

// “… was not found.” is put together from what was looked for.
const NOT_FOUND = ' was not found.'

function isSaid(message: string, literals: readonly string[]): boolean {
  if (literals.some((literal) => literal.includes(message))) return true
  if (!message.endsWith(NOT_FOUND)) return false
  return literals.includes(message.slice(0, -NOT_FOUND.length)) && literals.some((each) => each === `…${NOT_FOUND}`)
}
