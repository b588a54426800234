import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readPassword } from '../../src/admin/read-password.ts'

test('a terminal is asked twice, and shows nothing of what is typed', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = new PassThrough()
  const read = readPassword({ input, output })
  input.write('correct horse battery\r')
  input.write('correct horse batteri\r')
  expect(await read).toEqual({ first: 'correct horse battery', repeated: 'correct horse batteri' })
  output.end()
  expect(await text(output)).toBe('New password, 10 to 128 characters: \nThe same again: \n')
})

test('a terminal that is left gives no password', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const read = readPassword({ input, output: new PassThrough() })
  input.write('correct\u0003')
  expect(await read).toEqual({ first: '', repeated: '' })
})

test('of a pipe the first line is taken, without a question', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  input.end('correct horse battery\nand a second line\n')
  expect(await readPassword({ input, output })).toEqual({ first: 'correct horse battery', repeated: null })
  output.end()
  expect(await text(output)).toBe('')
})
