import { type ChildProcess, spawn } from 'node:child_process'

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProgram {
  readonly child: ChildProcess
  /** Resolves with what it had printed on stdout when that, in whole lines, first matched; rejects when it ends before. */
  printed(expected: RegExp): Promise<RegExpExecArray>
  /** Resolves when it has ended and its output was read. */
  readonly ended: Promise<ProgramEnd>
}

export interface ProgramOptions {
  readonly cwd?: string
  /** All of its environment; nothing of this process’s is added. */
  readonly env: NodeJS.ProcessEnv
}

/** Starts a program with pipes for its input and output. Ending it is the caller’s affair. */
export function startProgram(program: string, args: readonly string[], options: ProgramOptions): StartedProgram {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
    for (const look of watchers) look()
  })
  const printed = (expected: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = stdout.endsWith('\n') ? expected.exec(stdout) : null
        if (match) resolve(match)
      }
      watchers.add(look)
      look()
      ended.then(
        (end) => reject(new Error(`It ended (${end.code ?? end.signal}) before it printed ${expected}: ${end.stderr}`)),
        reject,
      )
    })
  return { child, ended, printed }
}
