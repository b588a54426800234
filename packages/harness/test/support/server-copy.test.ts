import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyServer } from '../../src/support/server-copy.ts'

/** A tree of a project with one built file in its server. */
function builtServer(text: string): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-server-copy-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'packages', 'server', 'dist')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '..', 'package.json'), '{}')
  writeFileSync(join(folder, 'main.js'), text)
  return folder
}

const atTheEnd = { onEnd: (cleanUp: () => void) => onTestFinished(cleanUp) }
const edit = { file: 'main.js', from: 'limit = 5', to: 'limit = 1' }

test('the copy is changed, and the server itself is not', () => {
  const folder = builtServer('const limit = 5\n')
  const copy = copyServer(folder, [edit], atTheEnd)
  expect(readFileSync(join(copy, 'main.js'), 'utf8')).toBe('const limit = 1\n')
  expect(readFileSync(join(folder, 'main.js'), 'utf8')).toBe('const limit = 5\n')
})

test.each([
  ['stands nowhere', 'const limit = 6\n', '0 times'],
  ['stands twice', 'let limit = 5; limit = 5\n', '2 times'],
])('an edit whose text %s is refused', (_, text, count) => {
  expect(() => copyServer(builtServer(text), [edit], atTheEnd)).toThrow(count)
})
