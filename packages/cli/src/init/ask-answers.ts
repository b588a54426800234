import { Writable } from 'node:stream'
import type { CliDeps } from '../deps.ts'
import { CommandFailure } from '../failures.ts'
import { ANSWER_PROBLEMS, type Answers, accountKeyProblem, type InitFlags, namespaceAfter } from './answers.ts'

type Input = { readonly flags: InitFlags; readonly defaults: Answers; readonly asksForKey: boolean }

/** Asks on the terminal for what the options leave open. Ctrl-C ends the command; nothing was written by then. */
export async function askAnswers(
  deps: Pick<CliDeps, 'stdin' | 'stderr'>,
  { flags, defaults, asksForKey }: Input,
): Promise<{ answers: Answers; accountKey: string | null }> {
  const prompts = await import('@clack/prompts')
  const streams = { ...(deps.stdin && { input: deps.stdin }), output: writableOf(deps.stderr) }
  const answered = (answer: string | symbol | undefined): string => {
    if (prompts.isCancel(answer)) throw new CommandFailure('interrupted', 'Nothing was written.')
    return String(answer ?? '').trim()
  }
  const text = async (
    field: keyof typeof ANSWER_PROBLEMS,
    message: string,
    initialValue: string,
    mayBeEmpty = false,
  ) => {
    if (flags[field] !== undefined) return flags[field].trim()
    const validate = (typed: string | undefined) => problemOf(ANSWER_PROBLEMS[field], typed, mayBeEmpty)
    return answered(await prompts.text({ ...streams, message, initialValue, validate }))
  }

  const name = await text('name', 'What is it called?', defaults.name)
  const website = await text('website', 'Address of its website, if it has one', defaults.website ?? '', true)
  const guess = flags.namespace ?? namespaceAfter(website || null) ?? ''
  const namespace = await text('namespace', 'Namespace of its published names, such as com.example.shop', guess, true)
  const port = await text('port', 'Port on this machine', String(defaults.port))
  const answers = { name, website: website || null, namespace: namespace || null, port: Number(port) }
  if (!asksForKey) return { answers, accountKey: null }
  const message = 'Account key, svc_ak_…, to register the runtime with; leave it empty to do that later'
  const validate = (typed: string | undefined) => problemOf(accountKeyProblem, typed, true)
  return { answers, accountKey: answered(await prompts.password({ ...streams, message, validate })) || null }
}

function problemOf(check: (typed: string) => string | null, typed = '', mayBeEmpty = false): string | undefined {
  const value = typed.trim()
  if (value === '' && mayBeEmpty) return undefined
  const problem = check(value)
  return problem === null ? undefined : `It ${problem}`
}

// Questions go to stderr: stdout holds the results alone.
function writableOf(output: CliDeps['stderr']): Writable {
  const stream = new Writable({
    write(chunk: unknown, _encoding, done) {
      output.write(String(chunk))
      done()
    },
  })
  // A terminal that does not know its size says 0.
  return Object.assign(stream, { columns: output.columns || 80, isTTY: output.isTTY === true })
}
