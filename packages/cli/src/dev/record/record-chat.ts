import { existsSync, mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Message } from '@svc/contract'
import { stringify } from 'yaml'
import { executor } from '../../control-plane/execute.ts'
import type { CliDeps } from '../../deps.ts'
import { CommandFailure } from '../../failures.ts'
import { baseUrlOf } from '../../project/base-url.ts'
import { endUserTokenOf } from '../../project/end-user-token.ts'
import { surroundings } from '../../project/surroundings.ts'
import { bold } from '../../terminal/piece.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { withoutToken, withoutTokenIn } from '../../terminal/without-token.ts'
import { writeAtomically } from '../../write-atomically.ts'
import { type RecordedTurn, toTest } from './to-test.ts'

const NEW = '/new'
const INVITATION = `Type a question and press Enter. ${NEW} begins another conversation.`

/**
 * `svc dev --record`: a chat in the terminal. The service runs it, as it runs any page’s; what is recorded is written into
 * the folder and nowhere else. Resolves at the end of stdin.
 */
export async function recordChat(
  deps: CliDeps,
  terminal: Terminal,
  { folder, isConfirmed }: { readonly folder: string; readonly isConfirmed: (capability: string) => boolean },
): Promise<void> {
  const env = surroundings(deps)
  const endUserToken = endUserTokenOf({ env })
  const execute = executor(deps, { env, baseUrl: baseUrlOf(env), endUserToken })
  let chat = begin()
  terminal.note(INVITATION)
  for await (const typed of createInterface({ input: deps.stdin ?? Readable.from([]) })) {
    const user = typed.trim()
    if (user === NEW) chat = begin()
    if (user === '' || user === NEW) continue
    const done = terminal.progress('Asking')
    const asked = [...chat.transcript, { role: 'user', parts: [{ type: 'text', content: user }] } satisfies Message]
    const answer = await execute(asked)
      .catch((error: unknown) => told(terminal, error))
      .finally(done)
    if (answer === null) continue
    chat.transcript = [...asked, ...answer.messages]
    chat.turns.push(withoutTokenIn({ user, ...answer }, endUserToken))
    for (const line of answerLines(answer)) terminal.line(bold(withoutToken(line, endUserToken)))
    const test = toTest(chat.turns, isConfirmed)
    if (test.turns.length === 0) {
      terminal.note('not recorded: the execution added no messages')
      continue
    }
    chat.file ??= freeName(resolve(deps.cwd, folder), withoutToken(user, endUserToken))
    write(chat.file, stringify(test, { lineWidth: 0, aliasDuplicateObjects: false }))
    terminal.note(`recorded in ${relative(deps.cwd, chat.file)}`)
  }
}

type Chat = { transcript: Message[]; readonly turns: RecordedTurn[]; file: string | null }

function begin(): Chat {
  return { transcript: [], turns: [], file: null }
}

// A question that was refused is no part of the conversation.
function told(terminal: Terminal, error: unknown): null {
  if (!(error instanceof CommandFailure)) throw error
  terminal.fail(error.message, error.lines)
  return null
}

function answerLines({ messages, error, finishReason }: Omit<RecordedTurn, 'user'>): string[] {
  const said = messages.flatMap(({ role, parts }) =>
    role === 'assistant' ? parts.flatMap((part) => (part.type === 'text' ? part.content.split('\n') : [])) : [],
  )
  const waits =
    finishReason === 'approval_required' ? ['A call waits for a person’s approval: this chat cannot give it.'] : []
  return [...said, ...waits, ...(error ? [`The execution failed: ${error.message}`] : [])]
}

function freeName(folder: string, question: string): string {
  const words = question
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  for (let number = 1; ; number += 1) {
    const file = join(folder, `${words || 'chat'}${number === 1 ? '' : `-${number}`}.svc-test.yaml`)
    if (!existsSync(file)) return file
  }
}

function write(file: string, contents: string): void {
  mkdirSync(resolve(file, '..'), { recursive: true })
  writeAtomically(file, contents)
}
