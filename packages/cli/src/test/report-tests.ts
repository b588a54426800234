import type { JsonObject, Message } from '@svc/contract'
import { shown } from '../json-differences.ts'
import { dim, green, red } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { unmetLines } from './judge-turn.ts'
import type { PlayedTurn } from './play/played.ts'
import type { TestResult } from './run-tests.ts'

/** Prints one line for a test that passed; of one that failed the conversation, and what was expected of its last turn. */
export function printResult(terminal: Terminal, result: TestResult): void {
  const { test, turns, unmet, durationMs } = result
  const mark = unmet.length === 0 ? green('✔') : red('✖')
  terminal.line(mark, ` ${test.name}  `, dim(`${test.file}  ${durationMs} ms`))
  if (unmet.length === 0) return
  for (const line of turns.flatMap(conversationLines)) terminal.line('    ', line)
  for (const each of unmet) {
    terminal.line('  ', red(placeOf(result, each.field)))
    for (const line of unmetLines(each).flatMap((text) => text.split('\n'))) terminal.line('    ', line)
  }
}

/** `weather.svc-test.yaml:9  expect.calls.0` */
export function placeOf({ test, turns }: TestResult, field: string): string {
  const line = test.lineOf(fieldInFile(turns, field))
  return `${test.file}${line === null ? '' : `:${line}`}  ${fieldInFile(turns, field)}`
}

function fieldInFile(turns: readonly PlayedTurn[], field: string): string {
  return field.startsWith('mocks.') ? field : `turns.${turns.length - 1}.${field}`
}

/** What `--json` has of a test. */
export function resultDocument(result: TestResult): JsonObject {
  const { test, turns, unmet, durationMs } = result
  const document = {
    name: test.name,
    file: test.file,
    ok: unmet.length === 0,
    durationMs,
    turns: turns.map(({ user, messages, finishReason, error }) => ({ user, messages, finishReason, error })),
    failures: unmet.map(({ field, ...others }) => {
      const inFile = fieldInFile(turns, field)
      return { field: inFile, line: test.lineOf(inFile), ...others }
    }),
  }
  return JSON.parse(JSON.stringify(document))
}

/** The conversation as a person reads it. */
export function conversationLines({ user, messages, error }: PlayedTurn): string[] {
  const lines = messages.flatMap(messageLines)
  return [...said('user', user), ...lines, ...(error === null ? [] : said('error', error))]
}

function messageLines({ role, parts }: Message): string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return part.content === '' ? [] : said(role, part.content)
    if (part.type === 'tool_call') return said('call', `${part.name} ${shown(part.input)}`)
    return said('result', part.error ? `error: ${part.error.message}` : shown(part.output))
  })
}

function said(who: string, text: string): string[] {
  return text.split('\n').map((line, at) => `${(at === 0 ? who : '').padEnd('assistant'.length)}  ${line}`)
}
