import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openLog } from '../../src/telemetry/log.ts'

const Line = z.object({ level: z.number(), msg: z.string() })

/** A log on a file of its own, and what has been written to it so far. */
function setUpLog(level = 'info') {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const file = join(folder, 'log')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = openLog({ level, descriptor: openSync(file, 'a') })
  const written = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return { log, messages: () => written().map((line) => Line.parse(JSON.parse(line)).msg) }
}

test('lines wait for each other, and are written in their order when the log is flushed', () => {
  const { log, messages } = setUpLog()
  log.info('one')
  log.info('two')
  expect(messages()).toEqual([])
  log.flush()
  expect(messages()).toEqual(['one', 'two'])
})

test.each(['warn', 'error', 'fatal'] as const)('a line of level %s is written at once, with what waits', (level) => {
  const { log, messages } = setUpLog()
  log.info('before')
  log[level]('now')
  expect(messages()).toEqual(['before', 'now'])
  log.info('after')
  expect(messages()).toEqual(['before', 'now'])
})

test('lines do not wait for ever where there are many of them', () => {
  const { log, messages } = setUpLog()
  for (let count = 0; count < 1000; count += 1) log.info(`line ${count}`)
  const kept = messages()
  expect(kept.length).toBeGreaterThan(500)
  log.flush()
  expect(messages()).toEqual(Array.from({ length: 1000 }, (_, count) => `line ${count}`))
})

test('what is below the level is not written', () => {
  const { log, messages } = setUpLog('warn')
  log.info('quiet')
  log.flush()
  expect(messages()).toEqual([])
})
