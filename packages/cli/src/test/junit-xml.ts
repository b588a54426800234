import { unmetLines } from './judge-turn.ts'
import { conversationLines, placeOf } from './report-tests.ts'
import type { TestResult } from './run-tests.ts'

/** The results in the form that CI servers read: a suite for each file. */
export function junitXml(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ test }) => test.file))]
  const suites = files.map((file) => {
    const own = results.filter(({ test }) => test.file === file)
    return element('testsuite', { name: file, ...counts(own) }, own.map(testCase).join(''))
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'svc test', ...counts(results) }, suites.join(''))}\n`
}

function testCase(result: TestResult): string {
  const { test, turns, unmet } = result
  const attributes = { name: test.name, classname: test.file, file: test.file, time: seconds([result]) }
  const text = unmet.flatMap((each) => [placeOf(result, each.field), ...unmetLines(each)])
  const [first] = unmet
  const message = first ? `expected ${first.expected}, was ${first.was}` : ''
  const lines = [...text, '', ...turns.flatMap(conversationLines)]
  return element('testcase', attributes, first ? element('failure', { message }, escaped(lines.join('\n'))) : '')
}

function counts(results: readonly TestResult[]) {
  const failures = results.filter(({ unmet }) => unmet.length > 0).length
  return { tests: String(results.length), failures: String(failures), errors: '0', time: seconds(results) }
}

function seconds(results: readonly TestResult[]): string {
  return (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3)
}

function element(name: string, attributes: Readonly<Record<string, string>>, contents: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return `<${name}${written.join('')}>${contents}</${name}>`
}

// What XML 1.0 has no form for is left out.
const UNWRITABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
  return text.replace(UNWRITABLE, '').replace(/[&<>"\n]/g, (character) => names[character] ?? '')
}
